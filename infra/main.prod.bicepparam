// Production: instances kept warm in several zones, search with a guarantee for reading, a model of its own, somebody told.

using './main.bicep'

import { agents as knownAgents, indexes as knownIndexes } from './indexes.bicep'

param environmentName = readEnvironmentVariable('AZURE_ENV_NAME', 'prod')
param location = readEnvironmentVariable('AZURE_LOCATION', 'uksouth')
param entra = { clientId: readEnvironmentVariable('ENTRA_CLIENT_ID', '') }

param hosting = {
  pythonVersion: '3.12'
  instanceMemory: 2048
  maximumInstances: 40
  httpConcurrency: 64
  alwaysReady: 2
  zoneRedundant: true
}

param search = {
  kind: 'new'
  sku: 'standard'
  replicas: 2
  partitions: 1
  semantic: 'standard'
}

// Models retire: `az cognitiveservices model list --location <region>` shows what the region has today.
param model = {
  kind: 'new'
  chat: {
    model: 'gpt-4.1-mini'
    version: '2025-04-14'
    sku: 'DataZoneStandard'
    capacity: 100
  }
  embedding: {
    model: 'text-embedding-3-small'
    version: '1'
    sku: 'Standard'
    capacity: 100
  }
}

param network = { kind: 'public' }

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
  doneQueue: 'briefings-done'
  retentionDays: 90
}

param indexes = knownIndexes
param agents = knownAgents

param options = {
  AiAgents__Context__Index: 'inspections'
  AiAgents__Context__Unfiltered: true
  AiAgents__Model__DailyTokenLimit: 5000000
}
