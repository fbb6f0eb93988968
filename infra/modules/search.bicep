// The search service, for Entra tokens only. Its log holds what people searched for, so it stays off unless asked.

param name string
param location string
param tags { *: string }
param sku string
param replicas int
param partitions int
param semantic string
param public bool
param queryLogging bool
param workspaceId string

resource service 'Microsoft.Search/searchServices@2025-05-01' = {
  name: name
  location: location
  tags: tags
  sku: { name: sku }
  identity: { type: 'SystemAssigned' }
  properties: {
    replicaCount: replicas
    partitionCount: partitions
    disableLocalAuth: true
    semanticSearch: semantic
    publicNetworkAccess: public ? 'enabled' : 'disabled'
  }
}

#disable-next-line use-recent-api-versions // Azure has no newer one that takes log categories.
resource diagnostics 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  name: queryLogging ? 'metrics-and-queries' : 'metrics'
  scope: service
  properties: {
    workspaceId: workspaceId
    metrics: [{ category: 'AllMetrics', enabled: true }]
    logs: queryLogging ? [{ category: 'OperationLogs', enabled: true }] : []
  }
}

output principalId string = service.identity.principalId
