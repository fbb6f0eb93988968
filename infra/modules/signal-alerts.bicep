// Alerts over the app's own signals (docs/telemetry.md); alerts.bicep watches requests and the services around.

param name string
param location string
param tags { *: string }
param workspaceId string

@description('Who is told: ids of action groups.')
param actionGroupIds string[] = []

var queries = [
  {
    name: 'telemetry-unsafe'
    title: 'Telemetry could leave the app unredacted, or does not leave at all'
    query: loadTextContent('../monitoring/alerts/unsafe.kql')
    threshold: 0
    severity: 1
  }
  {
    name: 'misconfigured'
    title: 'An index, field, setting or permission does not fit what is deployed'
    query: loadTextContent('../monitoring/alerts/misconfigured.kql')
    threshold: 0
    severity: 2
  }
  {
    name: 'briefings-failing'
    title: 'More than ten briefings failed or were rejected within a quarter of an hour'
    query: loadTextContent('../monitoring/alerts/briefings-failing.kql')
    threshold: 10
    severity: 2
  }
]

resource alerts 'Microsoft.Insights/scheduledQueryRules@2026-03-01' = [
  for alert in queries: {
    name: '${name}-${alert.name}'
    location: location
    tags: tags
    kind: 'LogAlert'
    properties: {
      displayName: alert.title
      severity: alert.severity
      enabled: true
      scopes: [workspaceId]
      evaluationFrequency: 'PT5M'
      windowSize: 'PT15M'
      autoMitigate: true
      // As in alerts.bicep: the tables come with the first telemetry.
      skipQueryValidation: true
      criteria: {
        allOf: [
          {
            query: alert.query
            // Each row stands for ItemCount of them where traces are sampled.
            timeAggregation: 'Total'
            metricMeasureColumn: 'ItemCount'
            operator: 'GreaterThan'
            threshold: alert.threshold
            failingPeriods: { numberOfEvaluationPeriods: 1, minFailingPeriodsToAlert: 1 }
          }
        ]
      }
      actions: { actionGroups: actionGroupIds }
    }
  }
]
