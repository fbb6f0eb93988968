// Log Analytics and Application Insights. Ingestion takes Entra tokens only: the connection string is an address, no secret.

import { Watch } from '../types.bicep'

param workspaceName string
param componentName string
param location string
param tags { *: string }
param watch Watch

resource workspace 'Microsoft.OperationalInsights/workspaces@2025-07-01' = {
  name: workspaceName
  location: location
  tags: tags
  properties: {
    sku: { name: 'PerGB2018' }
    retentionInDays: watch.retentionDays
    workspaceCapping: { dailyQuotaGb: watch.dailyGigabytes }
    features: {
      disableLocalAuth: true
      enableLogAccessUsingOnlyResourcePermissions: true
    }
  }
}

// Ingestion stays public in a private network too: private ingestion takes an Azure Monitor Private Link Scope,
// which one deployment must not impose on a whole network.
resource component 'Microsoft.Insights/components@2020-02-02' = {
  name: componentName
  location: location
  tags: tags
  kind: 'web'
  properties: {
    Application_Type: 'web'
    WorkspaceResourceId: workspace.id
    DisableLocalAuth: true
    DisableIpMasking: false
    publicNetworkAccessForIngestion: 'Enabled'
    publicNetworkAccessForQuery: 'Enabled'
  }
}

module workbook 'workbook.bicep' = {
  params: { location: location, tags: tags, workspaceId: workspace.id }
}

output workspaceId string = workspace.id
output connectionString string = component.properties.ConnectionString
