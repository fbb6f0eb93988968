// The app settings, as one complete set: each deployment replaces the whole. Names and meanings stand in README.md.

import { Agent, Briefings, Index, Options } from '../types.bicep'

param appName string
param clientId string
param tenantId string
param pythonVersion string
param storageEndpoints { blob: string, queue: string, table: string }
param searchEndpoint string
param model { endpoint: string, deployment: string }?
param indexes Index[]
param agents Agent[]
param briefings Briefings
param options Options
param insights { connectionString: string, tracePercent: int }

resource app 'Microsoft.Web/sites@2025-03-01' existing = {
  name: appName
}

// The host's own storage, by the app's identity. All three services: blobs for locks and keys, queues, tables for diagnostics.
var host = {
  AzureWebJobsStorage__blobServiceUri: storageEndpoints.blob
  AzureWebJobsStorage__queueServiceUri: storageEndpoints.queue
  AzureWebJobsStorage__tableServiceUri: storageEndpoints.table
  AzureWebJobsStorage__credential: 'managedidentity'
  AzureWebJobsStorage__clientId: clientId
  AZURE_CLIENT_ID: clientId
  // The MCP webhook gives its key up only because App Service authentication (auth.bicep) stands in front of it.
  AzureFunctionsJobHost__extensions__mcp__system__webhookAuthorizationLevel: 'Anonymous'
  WEBSITE_AUTH_AAD_ALLOWED_TENANTS: tenantId
}

// Our packages before the worker's. From 3.13 on the worker isolates by itself.
var isolation = pythonVersion == '3.13' ? {} : { PYTHON_ISOLATE_WORKER_DEPENDENCIES: '1' }

// We configure the exporter ourselves, redacting; PYTHON_APPLICATIONINSIGHTS_ENABLE_TELEMETRY would do it first, without.
var telemetry = {
  APPLICATIONINSIGHTS_CONNECTION_STRING: insights.connectionString
  APPLICATIONINSIGHTS_AUTHENTICATION_STRING: 'Authorization=AAD;ClientId=${clientId}'
  APPLICATIONINSIGHTS_STATSBEAT_DISABLED_ALL: 'true'
  APPLICATIONINSIGHTS_SDKSTATS_DISABLED: 'true'
  APPLICATIONINSIGHTS_CONTROLPLANE_DISABLED: 'true'
  APPLICATIONINSIGHTS_OPENTELEMETRY_RESOURCE_METRIC_DISABLED: 'true'
  PYTHON_ENABLE_OPENTELEMETRY: 'true'
  OTEL_EXPERIMENTAL_RESOURCE_DETECTORS: 'azure_app_service'
  OTEL_PROPAGATORS: 'tracecontext'
  OTEL_PYTHON_DISABLED_INSTRUMENTATIONS: 'azure_sdk,django,fastapi,flask,httpx,httpx2,psycopg2,requests,urllib,urllib3'
  OTEL_TRACES_SAMPLER: 'microsoft.fixed_percentage'
  OTEL_TRACES_SAMPLER_ARG: insights.tracePercent == 100 ? '1.0' : '0.${padLeft(insights.tracePercent, 2, '0')}'
  AiAgents__Telemetry__EnableSensitiveTelemetryData: 'false'
  AiAgents__Telemetry__ConfirmSensitiveInAzure: 'false'
}

var product = {
  AiAgents__Auth__Mode: 'entra'
  AiAgents__AISearch__Endpoint: searchEndpoint
  AiAgents__AISearch__Indexes: string(indexes)
  AiAgents__KnowledgeAgents: string(agents)
  AiAgents__Briefings__QueueName: briefings.queue
  AiAgents__Briefings__Container: briefings.container
  AiAgents__Briefings__DoneQueueName: briefings.?doneQueue ?? ''
  AiAgents__Briefings__RetentionDays: string(briefings.retentionDays)
  BriefingStorage__queueServiceUri: storageEndpoints.queue
  BriefingStorage__blobServiceUri: storageEndpoints.blob
  BriefingStorage__credential: 'managedidentity'
  BriefingStorage__clientId: clientId
}

var writer = model == null
  ? {}
  : { AiAgents__Model__Endpoint: model!.endpoint, AiAgents__Model__Deployment: model!.deployment }

// Settings are texts. string(true) is True, which is why Booleans are written out.
var chosen = mapValues(options, value => value == true ? 'true' : value == false ? 'false' : string(value))

resource settings 'Microsoft.Web/sites/config@2025-03-01' = {
  parent: app
  name: 'appsettings'
  properties: union(host, isolation, telemetry, product, writer, chosen)
}
