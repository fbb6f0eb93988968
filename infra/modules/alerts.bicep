// What somebody should hear of: messages that nobody could handle, failing requests, throttling.

param name string
param location string
param tags { *: string }
param emails string[]
param workspaceId string

@description('The search service; left out where it stands in another subscription, whose operators watch it.')
param searchId string?

@description('The model account made here, if any.')
param modelId string?

resource people 'Microsoft.Insights/actionGroups@2023-01-01' = if (!empty(emails)) {
  name: name
  location: 'global'
  tags: tags
  properties: {
    enabled: true
    groupShortName: 'evidence'
    emailReceivers: map(emails, email => { name: email, emailAddress: email, useCommonAlertSchema: true })
  }
}

var actions = empty(emails) ? [] : [people.id]

// The poison queue's own function runs once for each message that reached it, and says so: two traces, so that sampling hides neither.
var queries = [
  {
    name: 'poison-messages'
    title: 'A briefing message reached the poison queue'
    query: 'union isfuzzy=true (AppRequests | where Name contains "poison"), (AppTraces | where Message == "poison_message") | project TimeGenerated, ItemCount'
    threshold: 0
    severity: 1
  }
  {
    name: 'failures'
    title: 'More than five requests or deliveries failed within a quarter of an hour'
    query: 'AppRequests | where Success == false and (toint(ResultCode) >= 500 or isnull(toint(ResultCode)) or toint(ResultCode) == 0)'
    threshold: 5
    severity: 2
  }
  {
    name: 'throttling'
    title: 'Callers were told to come back later more than ten times within a quarter of an hour'
    query: 'AppRequests | where ResultCode in ("429", "503")'
    threshold: 10
    severity: 3
  }
]

resource logAlerts 'Microsoft.Insights/scheduledQueryRules@2026-03-01' = [
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
      // The tables come with the first telemetry: a new workspace would refuse the query and with it the deployment.
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
      actions: { actionGroups: actions }
    }
  }
]

resource searchThrottling 'Microsoft.Insights/metricAlerts@2026-01-01' = if (searchId != null) {
  name: '${name}-search-throttling'
  location: 'global'
  tags: tags
  properties: {
    description: 'The search service turns queries away: add a replica, or spread the load.'
    severity: 2
    enabled: true
    scopes: [searchId!]
    evaluationFrequency: 'PT5M'
    windowSize: 'PT15M'
    autoMitigate: true
    criteria: {
      'odata.type': 'Microsoft.Azure.Monitor.SingleResourceMultipleMetricCriteria'
      allOf: [
        {
          criterionType: 'StaticThresholdCriterion'
          name: 'throttled'
          metricNamespace: 'Microsoft.Search/searchServices'
          metricName: 'ThrottledSearchQueriesPercentage'
          timeAggregation: 'Average'
          operator: 'GreaterThan'
          threshold: 5
        }
      ]
    }
    actions: map(actions, action => { actionGroupId: action })
  }
}

resource modelThrottling 'Microsoft.Insights/metricAlerts@2026-01-01' = if (modelId != null) {
  name: '${name}-model-throttling'
  location: 'global'
  tags: tags
  properties: {
    description: 'The model turns calls away: raise the capacity of the deployment, or lower AiAgents__Model__MaxConcurrency.'
    severity: 2
    enabled: true
    scopes: [modelId!]
    evaluationFrequency: 'PT5M'
    windowSize: 'PT15M'
    autoMitigate: true
    criteria: {
      'odata.type': 'Microsoft.Azure.Monitor.SingleResourceMultipleMetricCriteria'
      allOf: [
        {
          criterionType: 'StaticThresholdCriterion'
          name: 'throttled'
          metricNamespace: 'Microsoft.CognitiveServices/accounts'
          metricName: 'AzureOpenAIRequests'
          dimensions: [{ name: 'StatusCode', operator: 'Include', values: ['429'] }]
          timeAggregation: 'Total'
          operator: 'GreaterThan'
          threshold: 10
        }
      ]
    }
    actions: map(actions, action => { actionGroupId: action })
  }
}

module signals 'signal-alerts.bicep' = {
  params: {
    name: name
    location: location
    tags: tags
    workspaceId: workspaceId
    actionGroupIds: actions
  }
}
