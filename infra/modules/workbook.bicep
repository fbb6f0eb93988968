// The operators' workbook: each query of infra/monitoring as a table, over the workspace.

param location string
param tags { *: string }
param workspaceId string

@description('What the workbook is called in the portal.')
param title string = 'Evidence app'

var queries = [
  { name: 'Searches', text: loadTextContent('../monitoring/searches.kql') }
  { name: 'Failures', text: loadTextContent('../monitoring/failures.kql') }
  { name: 'Evidence', text: loadTextContent('../monitoring/evidence.kql') }
  { name: 'Citations', text: loadTextContent('../monitoring/citations.kql') }
  { name: 'Briefings', text: loadTextContent('../monitoring/briefings.kql') }
  { name: 'Sections', text: loadTextContent('../monitoring/sections.kql') }
  { name: 'Tokens', text: loadTextContent('../monitoring/tokens.kql') }
  { name: 'Callers', text: loadTextContent('../monitoring/callers.kql') }
  { name: 'Events', text: loadTextContent('../monitoring/events.kql') }
]

var period = {
  type: 9
  content: {
    version: 'KqlParameterItem/1.0'
    parameters: [
      {
        id: guid(workspaceId, 'period')
        version: 'KqlParameterItem/1.0'
        name: 'Period'
        type: 4
        value: { durationMs: 604800000 }
        typeSettings: {
          selectableValues: [
            { durationMs: 3600000 }
            { durationMs: 86400000 }
            { durationMs: 604800000 }
            { durationMs: 2592000000 }
          ]
        }
      }
    ]
    style: 'pills'
    queryType: 0
    resourceType: 'microsoft.operationalinsights/workspaces'
  }
  name: 'period'
}

var tables = map(queries, query => {
  type: 3
  content: {
    version: 'KqlItem/1.0'
    query: query.text
    size: 0
    title: query.name
    timeContextFromParameter: 'Period'
    queryType: 0
    resourceType: 'microsoft.operationalinsights/workspaces'
    crossComponentResources: [workspaceId]
    visualization: 'table'
  }
  name: query.name
})

resource workbook 'Microsoft.Insights/workbooks@2023-06-01' = {
  name: guid(workspaceId, 'workbook')
  location: location
  tags: tags
  kind: 'shared'
  properties: {
    displayName: title
    category: 'workbook'
    sourceId: workspaceId
    version: 'Notebook/1.0'
    serializedData: string({
      version: 'Notebook/1.0'
      items: concat([period], tables)
      fallbackResourceIds: [workspaceId]
    })
  }
}
