// Everything the app needs, keyless: one resource group with the app, its storage, its search service and (if asked) its model,
// monitored, and each role that its one identity needs. docs/deployment.md is the guide.

targetScope = 'subscription'

import {
  Agent
  Briefings
  Entra
  Hosting
  Index
  Model
  Network
  Operator
  Options
  PrincipalId
  Search
  Watch
} from 'types.bicep'
import { problemsOf } from 'problems.bicep'
import { roles } from 'roles.bicep'

@description('Name of this environment; part of every resource name.')
@minLength(2)
@maxLength(20)
param environmentName string

@description('Region of everything that is made.')
@minLength(3)
@metadata({ azd: { type: 'location' } })
param location string

@description('Further tags of every resource.')
param tags { *: string } = {}

@description('The app registration in front of the app.')
param entra Entra

@description('Python, memory, instances and requests at once.')
param hosting Hosting

@description('The search service, made here or existing.')
param search Search

@description('The model that writes answers: none, made here or existing.')
param model Model

@description('Public endpoints with Entra tokens, or a private network.')
param network Network

@description('Alerts, logs and their retention.')
param watch Watch

@description('The queues, the container and how long briefings are kept.')
param briefings Briefings = { queue: 'briefings', container: 'briefings', retentionDays: 90 }

@description('The indexes that callers may name.')
param indexes Index[] = []

@description('Named retrieve set-ups.')
param agents Agent[] = []

@description('Settings that differ from the defaults of the app.')
param options Options = {}

@description('Origins whose pages may call the app from a browser.')
param allowedOrigins string[] = []

@description('Who fills the index and puts messages on the queue by hand.')
param operators Operator[] = []

@description('Principal ids of applications that put messages on the briefing queue themselves.')
param senders PrincipalId[] = []

var problems = problemsOf({
  environmentName: environmentName
  entra: entra
  hosting: hosting
  search: search
  network: network
  watch: watch
  briefings: briefings
  indexes: indexes
  agents: agents
  options: options
  allowedOrigins: allowedOrigins
})
// The group is the first thing made and everything stands in it, so a contradiction stops the whole deployment.
var groupName = empty(problems) ? 'rg-${environmentName}' : fail(join(problems, ' | '))

var token = uniqueString(subscription().id, environmentName, location)
var name = '${toLower(environmentName)}-${token}'
var allTags = union(tags, { 'azd-env-name': environmentName })
var tenantId = entra.?tenantId ?? tenant().tenantId
var private = network.kind == 'private'
var privateInbound = network.?inbound == 'private'
var packageContainer = 'packages'

// Names are known before anything is made, so that what-if can tell what would happen.
var appName = 'func-${name}'
var accountName = 'st${token}'
var componentName = 'appi-${name}'
var appId = resourceId(subscription().subscriptionId, groupName, 'Microsoft.Web/sites', appName)
var accountId = resourceId(subscription().subscriptionId, groupName, 'Microsoft.Storage/storageAccounts', accountName)

var searchName = search.kind == 'new' ? 'srch-${name}' : search.name
var searchGroup = search.kind == 'new' ? groupName : search.resourceGroup
var searchSubscription = search.?subscriptionId ?? subscription().subscriptionId
var searchId = resourceId(searchSubscription, searchGroup, 'Microsoft.Search/searchServices', searchName)

var modelName = model.kind == 'existing' ? model.name : 'oai-${name}'
var modelGroup = model.kind == 'existing' ? model.resourceGroup : groupName
var modelSubscription = model.?subscriptionId ?? subscription().subscriptionId
var modelId = resourceId(modelSubscription, modelGroup, 'Microsoft.CognitiveServices/accounts', modelName)
var modelZones = [
  'privatelink.openai.azure.com'
  'privatelink.cognitiveservices.azure.com'
  'privatelink.services.ai.azure.com'
]
var chatDeployment = model.?deployment ?? model.?chat.model ?? ''
var vectorizes = search.kind == 'new' && model.?embedding != null

resource group 'Microsoft.Resources/resourceGroups@2025-04-01' = {
  name: groupName
  location: location
  tags: allTags
}

module identity 'modules/identity.bicep' = {
  scope: group
  params: { name: 'id-${name}', location: location, tags: allTags }
}

module monitoring 'modules/monitoring.bicep' = {
  scope: group
  params: {
    workspaceName: 'log-${name}'
    componentName: componentName
    location: location
    tags: allTags
    watch: watch
  }
}

module storage 'modules/storage.bicep' = {
  scope: group
  params: {
    name: accountName
    location: location
    tags: allTags
    briefings: briefings
    packageContainer: packageContainer
    zoneRedundant: hosting.zoneRedundant
    public: !private
    workspaceId: monitoring.outputs.workspaceId
  }
}

module newSearch 'modules/search.bicep' = if (search.kind == 'new') {
  scope: group
  params: {
    name: searchName
    location: location
    tags: allTags
    sku: search.?sku ?? ''
    replicas: search.?replicas ?? 1
    partitions: search.?partitions ?? 1
    semantic: search.?semantic ?? ''
    public: !private
    queryLogging: watch.queryLogging
    workspaceId: monitoring.outputs.workspaceId
  }
}

module newModel 'modules/model.bicep' = if (model.kind == 'new') {
  scope: group
  params: {
    name: modelName
    location: location
    tags: allTags
    chat: model.chat
    embedding: model.?embedding
    public: !private
    workspaceId: monitoring.outputs.workspaceId
  }
}

module vnet 'modules/network.bicep' = if (private) {
  scope: group
  params: {
    name: 'vnet-${name}'
    location: location
    tags: allTags
    addressPrefix: network.?addressPrefix ?? ''
  }
}

module app 'modules/app.bicep' = {
  scope: group
  params: {
    name: appName
    planName: 'plan-${name}'
    location: location
    tags: allTags
    hosting: hosting
    identityId: identity.outputs.id
    packageEndpoint: storage.outputs.endpoints.blob
    packageContainer: packageContainer
    allowedOrigins: allowedOrigins
    subnetId: private ? vnet!.outputs.appSubnetId : null
    public: !privateInbound
  }
  // Without its role the platform cannot read the package of the app.
  dependsOn: [storageRoles]
}

module auth 'modules/auth.bicep' = {
  scope: group
  params: { appName: appName, entra: entra, tenantId: tenantId }
  dependsOn: [app]
}

module settings 'modules/settings.bicep' = {
  scope: group
  params: {
    appName: appName
    clientId: identity.outputs.clientId
    tenantId: tenantId
    pythonVersion: hosting.pythonVersion
    storageEndpoints: storage.outputs.endpoints
    searchEndpoint: 'https://${searchName}.search.windows.net'
    model: model.kind == 'none' ? null : { endpoint: modelRoles!.outputs.endpoint, deployment: chatDeployment }
    indexes: indexes
    agents: agents
    briefings: briefings
    options: options
    insights: { connectionString: monitoring.outputs.connectionString, tracePercent: watch.tracePercent }
  }
  dependsOn: [app]
}

module alerts 'modules/alerts.bicep' = {
  scope: group
  params: {
    name: 'alert-${name}'
    location: location
    tags: allTags
    emails: watch.emails
    workspaceId: monitoring.outputs.workspaceId
    searchId: searchSubscription == subscription().subscriptionId ? searchId : null
    modelId: model.kind == 'new' ? modelId : null
  }
  dependsOn: [newSearch, newModel]
}

// ── Roles: who may do what where. docs/deployment.md holds the same as a table.

module storageRoles 'modules/roles/storage.bicep' = {
  scope: group
  params: {
    name: accountName
    grants: map(
      [roles.storageBlobDataOwner, roles.storageQueueDataContributor, roles.storageTableDataContributor],
      role => { principalId: identity.outputs.principalId, kind: 'ServicePrincipal', role: role }
    )
  }
  dependsOn: [storage]
}

module componentRoles 'modules/roles/component.bicep' = {
  scope: group
  params: {
    name: componentName
    grants: [
      { principalId: identity.outputs.principalId, kind: 'ServicePrincipal', role: roles.monitoringMetricsPublisher }
    ]
  }
  dependsOn: [monitoring]
}

module searchRoles 'modules/roles/search.bicep' = {
  scope: resourceGroup(searchSubscription, searchGroup)
  params: {
    name: searchName
    grants: concat(
      [{ principalId: identity.outputs.principalId, kind: 'ServicePrincipal', role: roles.searchIndexDataReader }],
      flatten(map(operators, operator => [
        { principalId: operator.principalId, kind: operator.kind, role: roles.searchServiceContributor }
        { principalId: operator.principalId, kind: operator.kind, role: roles.searchIndexDataContributor }
      ]))
    )
  }
  dependsOn: [newSearch]
}

module modelRoles 'modules/roles/model.bicep' = if (model.kind != 'none') {
  scope: resourceGroup(modelSubscription, modelGroup)
  params: {
    name: modelName
    grants: concat(
      [
        { principalId: identity.outputs.principalId, kind: 'ServicePrincipal', role: roles.cognitiveServicesOpenAIUser }
      ],
      // The service embeds each query by itself, with its own identity.
      vectorizes
        ? [
            {
              principalId: newSearch!.outputs.principalId
              kind: 'ServicePrincipal'
              role: roles.cognitiveServicesOpenAIUser
            }
          ]
        : []
    )
  }
  dependsOn: [newModel]
}

module queueRoles 'modules/roles/queue.bicep' = {
  scope: group
  params: {
    accountName: accountName
    name: briefings.queue
    grants: concat(
      map(senders, sender => {
        principalId: sender
        kind: 'ServicePrincipal'
        role: roles.storageQueueDataMessageSender
      }),
      map(operators, operator => {
        principalId: operator.principalId
        kind: operator.kind
        role: roles.storageQueueDataMessageSender
      })
    )
  }
  dependsOn: [storage]
}

// ── Private endpoints: what answers inside the network only, and under which names

module endpoints 'modules/endpoints.bicep' = if (private) {
  scope: group
  params: {
    environment: name
    location: location
    tags: allTags
    networkId: vnet!.outputs.id
    subnetId: vnet!.outputs.endpointSubnetId
    targets: concat(
      map(['blob', 'queue', 'table'], service => {
        name: service
        id: accountId
        group: service
        zones: ['privatelink.${service}.${environment().suffixes.storage}']
      }),
      [{ name: 'search', id: searchId, group: 'searchService', zones: ['privatelink.search.windows.net'] }],
      model.kind == 'none' ? [] : [{ name: 'model', id: modelId, group: 'account', zones: modelZones }],
      privateInbound ? [{ name: 'app', id: appId, group: 'sites', zones: ['privatelink.azurewebsites.net'] }] : []
    )
  }
  // The model account must be done with its deployments first.
  dependsOn: [storage, newSearch, newModel, app]
}

// ── What azd, the workflow and the guide use afterwards. No secrets.

output AZURE_LOCATION string = location
output AZURE_RESOURCE_GROUP string = group.name
output APP_NAME string = appName
output APP_ENDPOINT string = 'https://${app.outputs.host}'
output APP_IDENTITY_CLIENT_ID string = identity.outputs.clientId
output APP_IDENTITY_PRINCIPAL_ID string = identity.outputs.principalId
output ENTRA_CLIENT_ID string = entra.clientId
output SEARCH_ENDPOINT string = 'https://${searchName}.search.windows.net'
output MODEL_ENDPOINT string = model.kind == 'none' ? '' : modelRoles!.outputs.endpoint
output STORAGE_ACCOUNT_NAME string = accountName
output BRIEFING_QUEUE_NAME string = briefings.queue
output APPLICATION_INSIGHTS_NAME string = componentName
