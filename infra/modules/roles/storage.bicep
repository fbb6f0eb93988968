// Roles at one storage account.

import { Grant } from '../../types.bicep'

param name string
param grants Grant[]

resource account 'Microsoft.Storage/storageAccounts@2025-06-01' existing = {
  name: name
}

resource assignments 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for grant in grants: {
    name: guid(account.id, grant.principalId, grant.role)
    scope: account
    properties: {
      principalId: grant.principalId
      principalType: grant.kind
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', grant.role)
    }
  }
]
