// App Service authentication: only tokens of the app registration reach the functions. Liveness alone is open.

import { Entra } from '../types.bicep'

param appName string
param entra Entra
param tenantId string

resource app 'Microsoft.Web/sites@2025-03-01' existing = {
  name: appName
}

resource auth 'Microsoft.Web/sites/config@2025-03-01' = {
  parent: app
  name: 'authsettingsV2'
  properties: {
    platform: { enabled: true, runtimeVersion: '~1' }
    globalValidation: {
      requireAuthentication: true
      unauthenticatedClientAction: 'Return401'
      excludedPaths: ['/api/health/live']
    }
    httpSettings: { requireHttps: true }
    identityProviders: {
      azureActiveDirectory: {
        enabled: true
        registration: {
          clientId: entra.clientId
          openIdIssuer: '${environment().authentication.loginEndpoint}${tenantId}/v2.0'
        }
        validation: {
          allowedAudiences: [entra.clientId, 'api://${entra.clientId}']
          defaultAuthorizationPolicy: empty(entra.?allowedApplications)
            ? {}
            : { allowedApplications: entra.allowedApplications! }
        }
      }
    }
    // Callers bring a bearer token with each request: nothing to store, nothing to leak.
    login: { tokenStore: { enabled: false } }
  }
}
