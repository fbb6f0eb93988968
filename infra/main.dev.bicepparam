// A small environment to try things in: nothing kept warm, the free ranker quota, no model, open endpoints with Entra tokens.
// ENTRA_CLIENT_ID is the app registration of docs/deployment.md; azd sets the AZURE_ variables.

using './main.bicep'

import { agents as knownAgents, indexes as knownIndexes } from './indexes.bicep'

param environmentName = readEnvironmentVariable('AZURE_ENV_NAME', 'dev')
param location = readEnvironmentVariable('AZURE_LOCATION', 'uksouth')
param entra = { clientId: readEnvironmentVariable('ENTRA_CLIENT_ID', '') }

param hosting = {
  pythonVersion: '3.12'
  instanceMemory: 2048
  maximumInstances: 10
  httpConcurrency: 32
  alwaysReady: 0
  zoneRedundant: false
}

param search = {
  kind: 'new'
  sku: 'basic'
  replicas: 1
  partitions: 1
  semantic: 'free'
}

param model = { kind: 'none' }

param network = { kind: 'public' }

param watch = {
  emails: []
  queryLogging: false
  retentionDays: 30
  dailyGigabytes: 1
  tracePercent: 100
}

param briefings = {
  queue: 'briefings'
  container: 'briefings'
  retentionDays: 30
}

param indexes = knownIndexes
param agents = knownAgents

param options = {
  AiAgents__Context__Index: 'inspections'
  AiAgents__Context__Unfiltered: true
}

var person = readEnvironmentVariable('AZURE_PRINCIPAL_ID', '')
var kind = readEnvironmentVariable('AZURE_PRINCIPAL_TYPE', 'User')
param operators = empty(person)
  ? []
  : [
      {
        principalId: person
        kind: kind == 'Group' ? 'Group' : kind == 'ServicePrincipal' ? 'ServicePrincipal' : 'User'
      }
    ]
