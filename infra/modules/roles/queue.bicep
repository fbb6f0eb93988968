// Roles at one queue: who may put a briefing message on it and nothing else.

import { Grant } from '../../types.bicep'

param accountName string
param name string
param grants Grant[]

resource account 'Microsoft.Storage/storageAccounts@2025-06-01' existing = {
  name: accountName

  resource service 'queueServices' existing = {
    name: 'default'

    resource queue 'queues' existing = {
      name: name
    }
  }
}

resource assignments 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for grant in grants: {
    name: guid(account::service::queue.id, grant.principalId, grant.role)
    scope: account::service::queue
    properties: {
      principalId: grant.principalId
      principalType: grant.kind
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', grant.role)
    }
  }
]
