// Roles at one search service, which may stand in another resource group or subscription.

import { Grant } from '../../types.bicep'

param name string
param grants Grant[]

resource service 'Microsoft.Search/searchServices@2025-05-01' existing = {
  name: name
}

resource assignments 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for grant in grants: {
    name: guid(service.id, grant.principalId, grant.role)
    scope: service
    properties: {
      principalId: grant.principalId
      principalType: grant.kind
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', grant.role)
    }
  }
]
