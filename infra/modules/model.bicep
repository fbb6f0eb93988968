// The model account and its deployments, for Entra tokens only.

import { Deployment } from '../types.bicep'

param name string
param location string
param tags { *: string }
param chat Deployment
param embedding Deployment?
param public bool
param workspaceId string

var deployments = concat([chat], embedding == null ? [] : [embedding!])

resource account 'Microsoft.CognitiveServices/accounts@2025-06-01' = {
  name: name
  location: location
  tags: tags
  kind: 'OpenAI'
  sku: { name: 'S0' }
  properties: {
    // Entra tokens do not work on the shared regional host name.
    customSubDomainName: name
    disableLocalAuth: true
    publicNetworkAccess: public ? 'Enabled' : 'Disabled'
    networkAcls: { defaultAction: public ? 'Allow' : 'Deny' }
  }
}

// The account takes one change at a time.
@batchSize(1)
resource deployment 'Microsoft.CognitiveServices/accounts/deployments@2025-06-01' = [
  for deployment in deployments: {
    parent: account
    name: deployment.model
    sku: { name: deployment.sku, capacity: deployment.capacity }
    properties: {
      model: { format: 'OpenAI', name: deployment.model, version: deployment.version }
      versionUpgradeOption: 'NoAutoUpgrade'
    }
  }
]

// Metrics and who-did-what; never RequestResponse, which would say who asked when.
#disable-next-line use-recent-api-versions // Azure has no newer one that takes log categories.
resource diagnostics 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  name: 'metrics'
  scope: account
  properties: {
    workspaceId: workspaceId
    metrics: [{ category: 'AllMetrics', enabled: true }]
    logs: [{ category: 'Audit', enabled: true }]
  }
}
