// One account for the host and the briefings: the deployment package, the records, the queues. No keys, no public blobs.

import { Briefings } from '../types.bicep'

param name string
param location string
param tags { *: string }
param briefings Briefings
param packageContainer string
param zoneRedundant bool
param public bool
param workspaceId string

var queues = concat(
  [briefings.queue, '${briefings.queue}-poison'],
  empty(briefings.?doneQueue) ? [] : [briefings.doneQueue!]
)

resource account 'Microsoft.Storage/storageAccounts@2025-06-01' = {
  name: name
  location: location
  tags: tags
  kind: 'StorageV2'
  sku: { name: zoneRedundant ? 'Standard_ZRS' : 'Standard_LRS' }
  properties: {
    allowSharedKeyAccess: false
    defaultToOAuthAuthentication: true
    allowBlobPublicAccess: false
    allowCrossTenantReplication: false
    minimumTlsVersion: 'TLS1_2'
    supportsHttpsTrafficOnly: true
    publicNetworkAccess: public ? 'Enabled' : 'Disabled'
    networkAcls: {
      defaultAction: public ? 'Allow' : 'Deny'
      bypass: public ? 'AzureServices' : 'None'
    }
  }

  // A briefing that somebody erased, or that is past its time, is gone: no version and no soft-deleted copy stays.
  resource blobs 'blobServices' = {
    name: 'default'
    properties: {
      isVersioningEnabled: false
      deleteRetentionPolicy: { enabled: false }
      containerDeleteRetentionPolicy: { enabled: false }
    }

    resource packages 'containers' = {
      name: packageContainer
      properties: { publicAccess: 'None' }
    }

    resource records 'containers' = {
      name: briefings.container
      properties: { publicAccess: 'None' }
    }
  }

  resource queueService 'queueServices' = {
    name: 'default'

    resource queue 'queues' = [
      for queue in queues: {
        name: queue
      }
    ]
  }

  // Everything in the container is a request, a record or an index of them: what nobody changed for RetentionDays goes.
  resource retention 'managementPolicies' = {
    name: 'default'
    properties: {
      policy: {
        rules: [
          {
            name: 'briefings-retention'
            type: 'Lifecycle'
            enabled: true
            definition: {
              filters: {
                blobTypes: ['blockBlob', 'appendBlob']
                prefixMatch: ['${briefings.container}/']
              }
              actions: {
                baseBlob: { delete: { daysAfterModificationGreaterThan: briefings.retentionDays } }
              }
            }
          }
        ]
      }
    }
    dependsOn: [blobs::records]
  }
}

#disable-next-line use-recent-api-versions // Azure has no newer one that takes log categories.
resource blobMetrics 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  name: 'metrics'
  scope: account::blobs
  properties: {
    workspaceId: workspaceId
    metrics: [{ category: 'Transaction', enabled: true }]
  }
}

#disable-next-line use-recent-api-versions // Azure has no newer one that takes log categories.
resource queueMetrics 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  name: 'metrics'
  scope: account::queueService
  properties: {
    workspaceId: workspaceId
    metrics: [{ category: 'Transaction', enabled: true }]
  }
}

output endpoints { blob: string, queue: string, table: string } = {
  blob: account.properties.primaryEndpoints.blob
  queue: account.properties.primaryEndpoints.queue
  table: account.properties.primaryEndpoints.table
}
