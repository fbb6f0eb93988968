// Roles at one Application Insights component.

import { Grant } from '../../types.bicep'

param name string
param grants Grant[]

resource component 'Microsoft.Insights/components@2020-02-02' existing = {
  name: name
}

resource assignments 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for grant in grants: {
    name: guid(component.id, grant.principalId, grant.role)
    scope: component
    properties: {
      principalId: grant.principalId
      principalType: grant.kind
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', grant.role)
    }
  }
]
