// The Flex Consumption plan and the function app. Its settings and its authentication are modules of their own.

import { Hosting } from '../types.bicep'

param name string
param planName string
param location string
param tags { *: string }
param hosting Hosting
param identityId string
param packageEndpoint string
param packageContainer string
param allowedOrigins string[]
param subnetId string?
param public bool

resource plan 'Microsoft.Web/serverfarms@2025-03-01' = {
  name: planName
  location: location
  tags: tags
  kind: 'functionapp'
  sku: { name: 'FC1', tier: 'FlexConsumption' }
  properties: {
    reserved: true
    zoneRedundant: hosting.zoneRedundant
  }
}

resource app 'Microsoft.Web/sites@2025-03-01' = {
  name: name
  location: location
  // azd finds the app of the service "app" in azure.yaml by this tag.
  tags: union(tags, { 'azd-service-name': 'app' })
  kind: 'functionapp,linux'
  identity: {
    type: 'UserAssigned'
    userAssignedIdentities: { '${identityId}': {} }
  }
  properties: {
    serverFarmId: plan.id
    httpsOnly: true
    publicNetworkAccess: public ? 'Enabled' : 'Disabled'
    virtualNetworkSubnetId: subnetId
    keyVaultReferenceIdentity: identityId
    functionAppConfig: {
      deployment: {
        storage: {
          type: 'blobContainer'
          value: '${packageEndpoint}${packageContainer}'
          authentication: {
            type: 'UserAssignedIdentity'
            userAssignedIdentityResourceId: identityId
          }
        }
      }
      runtime: { name: 'python', version: hosting.pythonVersion }
      scaleAndConcurrency: {
        instanceMemoryMB: hosting.instanceMemory
        maximumInstanceCount: hosting.maximumInstances
        alwaysReady: hosting.alwaysReady == 0 ? [] : [{ name: 'http', instanceCount: hosting.alwaysReady }]
        triggers: { http: { perInstanceConcurrency: hosting.httpConcurrency } }
      }
    }
    siteConfig: {
      minTlsVersion: '1.2'
      http20Enabled: true
      cors: { allowedOrigins: allowedOrigins, supportCredentials: false }
    }
  }
}

output host string = app.properties.defaultHostName
