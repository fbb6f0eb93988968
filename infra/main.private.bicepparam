// Production in a network of its own, over a search service and a model that exist: storage, search and model answer inside only.

using './main.bicep'

import { agents as knownAgents, indexes as knownIndexes } from './indexes.bicep'

param environmentName = readEnvironmentVariable('AZURE_ENV_NAME', 'private')
param location = readEnvironmentVariable('AZURE_LOCATION', 'uksouth')
// Blank: any application that holds a role may call, and none may put messages on the queue by itself.
var callerClient = readEnvironmentVariable('CALLER_CLIENT_ID', '')
param entra = {
  clientId: readEnvironmentVariable('ENTRA_CLIENT_ID', '')
  allowedApplications: empty(callerClient) ? [] : [callerClient]
}

param hosting = {
  pythonVersion: '3.12'
  instanceMemory: 4096
  maximumInstances: 40
  httpConcurrency: 64
  alwaysReady: 2
  zoneRedundant: true
}

// Blank where the service stands in the subscription that is deployed to.
var elsewhere = readEnvironmentVariable('SEARCH_SUBSCRIPTION_ID', '')
param search = {
  kind: 'existing'
  name: readEnvironmentVariable('SEARCH_NAME', 'shared-search')
  resourceGroup: readEnvironmentVariable('SEARCH_RESOURCE_GROUP', 'rg-search')
  subscriptionId: empty(elsewhere) ? null : elsewhere
}

param model = {
  kind: 'existing'
  name: readEnvironmentVariable('MODEL_NAME', 'shared-model')
  resourceGroup: readEnvironmentVariable('MODEL_RESOURCE_GROUP', 'rg-model')
  deployment: readEnvironmentVariable('MODEL_DEPLOYMENT', 'gpt-4.1-mini')
}

param network = {
  kind: 'private'
  addressPrefix: '10.60.0.0/24'
  inbound: 'private'
}

param watch = {
  emails: [readEnvironmentVariable('ALERT_EMAIL', '')]
  queryLogging: false
  retentionDays: 90
  dailyGigabytes: -1
  tracePercent: 20
}

param briefings = {
  queue: 'briefings'
  container: 'briefings'
  retentionDays: 90
}

param indexes = knownIndexes
param agents = knownAgents

param options = {
  AiAgents__Context__Index: 'inspections'
  AiAgents__Context__Unfiltered: true
}

var caller = readEnvironmentVariable('CALLER_PRINCIPAL_ID', '')
param senders = empty(caller) ? [] : [caller]
