// The shapes of the parameters of main.bicep. Each is sealed: a misspelt member stops the build.
// Ranges stand here as decorators; what one member forbids another stands in problems.bicep.

@export()
@description('Object id of a principal in Entra.')
@minLength(36)
@maxLength(36)
type PrincipalId = string

@export()
@description('Where the app runs and how far it may grow.')
@sealed()
type Hosting = {
  @description('Python of the app. 3.12 is what the remote build and the platform were measured with.')
  pythonVersion: '3.11' | '3.12' | '3.13'

  @description('Memory of one instance in MB: a quarter of a core, one core or two.')
  instanceMemory: 512 | 2048 | 4096

  @description('Most instances of one function group: HTTP is one group, each queue function another.')
  @minValue(1)
  @maxValue(1000)
  maximumInstances: int

  @description('Requests that one instance takes at once. Python gets 1 unless it is set; the app waits on networks.')
  @minValue(1)
  @maxValue(1000)
  httpConcurrency: int

  @description('HTTP instances that are kept warm, and billed while they idle.')
  @minValue(0)
  @maxValue(100)
  alwaysReady: int

  @description('Spread the plan and the storage over the zones of the region.')
  zoneRedundant: bool
}

@export()
@description('The search service: made here, or one that exists (any resource group or subscription of the tenant).')
@discriminator('kind')
type Search = NewSearch | ExistingSearch

@sealed()
type NewSearch = {
  kind: 'new'
  sku: 'basic' | 'standard' | 'standard2' | 'standard3'

  @minValue(1)
  @maxValue(12)
  replicas: int

  partitions: 1 | 2 | 3 | 4 | 6 | 12

  @description('The semantic ranker: off, the free monthly quota, or billed after it.')
  semantic: 'disabled' | 'free' | 'standard'
}

@sealed()
type ExistingSearch = {
  kind: 'existing'

  @minLength(2)
  @maxLength(60)
  name: string

  @minLength(1)
  resourceGroup: string

  @description('The subscription of the service; left out: the one deployed to.')
  @minLength(36)
  @maxLength(36)
  subscriptionId: string?
}

@export()
@description('The model account: none (the extractive writer), made here, or one that exists.')
@discriminator('kind')
type Model = NoModel | NewModel | ExistingModel

@sealed()
type NoModel = {
  kind: 'none'
}

@sealed()
type NewModel = {
  kind: 'new'
  chat: Deployment

  @description('An embedding deployment for the vectorizers of the search service.')
  embedding: Deployment?
}

@sealed()
type ExistingModel = {
  kind: 'existing'

  @minLength(2)
  @maxLength(64)
  name: string

  @minLength(1)
  resourceGroup: string

  @minLength(36)
  @maxLength(36)
  subscriptionId: string?

  @description('The chat deployment to use.')
  @minLength(1)
  deployment: string
}

@export()
@description('One deployment of a model; capacity in thousands of tokens a minute.')
@sealed()
type Deployment = {
  @minLength(1)
  model: string

  @minLength(1)
  version: string

  sku: 'Standard' | 'GlobalStandard' | 'DataZoneStandard'

  @minValue(1)
  @maxValue(5000)
  capacity: int
}

@export()
@description('Open endpoints with Entra tokens, or a virtual network with private endpoints and DNS zones.')
@discriminator('kind')
type Network = PublicNetwork | PrivateNetwork

@sealed()
type PublicNetwork = {
  kind: 'public'
}

@sealed()
type PrivateNetwork = {
  kind: 'private'

  @description('The address range of the virtual network, /24 or larger.')
  addressPrefix: string

  @description('How callers reach the app itself. private: code can be pushed from inside the network only.')
  inbound: 'public' | 'private'
}

@export()
@description('The app registration in front of the app (App Service authentication).')
@sealed()
type Entra = {
  @description('Application (client) id of the registration whose app roles callers are given.')
  clientId: string

  @description('Tenant of the registration; left out: the tenant deployed to.')
  tenantId: string?

  @description('Client ids of the applications that may call; left out: any that holds an app role.')
  allowedApplications: string[]?
}

@export()
@description('A person or group that gets data roles for work by hand: fill an index, put a message on the queue.')
@sealed()
type Operator = {
  principalId: PrincipalId
  kind: 'User' | 'Group' | 'ServicePrincipal'
}

@export()
@description('The queues, the container and how long briefings are kept.')
@sealed()
type Briefings = {
  @minLength(3)
  @maxLength(56)
  queue: string

  @minLength(3)
  @maxLength(63)
  container: string

  @description('The queue that is told about each final briefing; left out: nobody is told.')
  @minLength(3)
  @maxLength(63)
  doneQueue: string?

  @description('Days after which records and requests are deleted.')
  @minValue(1)
  @maxValue(3650)
  retentionDays: int
}

@export()
@description('Who hears of trouble, what is logged and how long it is kept.')
@sealed()
type Watch = {
  @description('Addresses that get an e-mail for each alert; none: the alerts show in the portal only.')
  emails: string[]

  @description('Log each search query. The log then holds what people searched for: readers of the workspace see it.')
  queryLogging: bool

  @minValue(30)
  @maxValue(730)
  retentionDays: int

  @description('Most gigabytes of log a day, -1 for no limit.')
  @minValue(-1)
  @maxValue(1000)
  dailyGigabytes: int

  @description('Share of traces that is kept, in percent.')
  @minValue(1)
  @maxValue(100)
  tracePercent: int
}

@export()
@description('One entry of AiAgents__AISearch__Indexes, its members named as there. Fractions are texts: Bicep has no decimals.')
@sealed()
type Index = {
  @minLength(1)
  Name: string
  ContentFields: string[]?
  NameField: string?
  LinkField: string?
  KeyField: string?
  ReturnFields: string[]?
  SearchFields: string[]?

  @description('Field path to the label that evidence shows instead of it.')
  Labels: { *: string }?
  PermissionFilter: bool?
  SemanticConfiguration: string?
  SemanticFallback: bool?
  VectorFields: string[]?
  FilterFields: string[]?
  RequiredFilterFields: string[]?
  MinimumRelevanceFilter: string?
  MinimumRerankerScore: string?
  AllowedRoles: string[]?
}

@export()
@description('One entry of AiAgents__KnowledgeAgents, its members named as there.')
@sealed()
type Agent = {
  @minLength(1)
  Name: string
  Engine: ('planned' | 'service')?
  @minLength(1)
  Indexes: AgentIndex[]

  @minValue(1)
  @maxValue(10)
  MaxSubQueries: int?
  RerankerThreshold: string?
  KnowledgeBase: string?
  KnowledgeAgent: string?
}

@description('A filter as in a request: a template with its values, or pairs that must all match.')
@sealed()
type Filter = {
  @minLength(1)
  template: string?

  #disable-next-line no-explicit-any // A value of a filter has any JSON type.
  values: { *: any }?

  #disable-next-line no-explicit-any // A value of a filter has any JSON type.
  equals: { *: any }?
}

@sealed()
type AgentIndex = {
  @minLength(1)
  Name: string
  Filter: Filter?
}

@export()
@description('The other settings of the README table, under their own names. What is left out keeps the default of the app.')
@sealed()
type Options = {
  AiAgents__AISearch__MinimumRelevanceFilter: string?

  @minValue(400)
  AiAgents__AISearch__MaxEvidenceCharacters: int?

  @minValue(0)
  @maxValue(20)
  AiAgents__AISearch__MaxRetryAttempts: int?

  @minValue(1)
  @maxValue(200)
  AiAgents__AISearch__TimeoutSeconds: int?
  AiAgents__AISearch__Authentication__TenantId: string?
  AiAgents__AISearch__Authentication__ClientId: string?

  @description('A Key Vault reference.')
  AiAgents__AISearch__Authentication__ClientSecret: string?
  AiAgents__AISearch__Authentication__AuthorityHost: string?
  AiAgents__AISearch__Authentication__ManagedIdentityClientId: string?
  AiAgents__Context__Index: string?
  AiAgents__Context__Filter: Filter?
  AiAgents__Context__Unfiltered: bool?
  AiAgents__Context__SearchTime: ('BeforeAIInvoke' | 'OnDemandFunctionCalling')?

  @minValue(0)
  AiAgents__Context__RecentMessageMemoryLimit: int?
  AiAgents__Context__RecentMessageRolesIncluded: string[]?
  AiAgents__Context__StateKey: string?
  AiAgents__Context__ContextPrompt: string?
  AiAgents__Context__CitationsPrompt: string?
  AiAgents__Context__FunctionToolName: string?
  AiAgents__Context__FunctionToolDescription: string?
  AiAgents__Citations__AllowedLinkHosts: string[]?

  @minValue(1)
  AiAgents__Model__MaxOutputTokens: int?

  @minValue(1)
  @maxValue(1000)
  AiAgents__Model__MaxConcurrency: int?

  @minValue(1)
  AiAgents__Model__DailyTokenLimit: int?

  @minValue(1)
  @maxValue(3600)
  AiAgents__Model__TimeoutSeconds: int?

  @description('A Key Vault reference; for an endpoint that is not one of Azure.')
  AiAgents__Model__ApiKey: string?
  AiAgents__Model__Scope: string?
  AiAgents__Model__TakesImages: bool?

  @minValue(1)
  @maxValue(1000)
  AiAgents__Briefings__MaxConcurrency: int?

  @description('Below functionTimeout of host.json, which restarts the process.')
  @minValue(30)
  @maxValue(540)
  AiAgents__Briefings__DeadlineSeconds: int?

  @description('A folder of the deployed zip, relative to its root; without it the shipped samples are offered.')
  AiAgents__Briefings__DefinitionsFolder: string?

  @minValue(1)
  @maxValue(1000)
  AiAgents__MaxConcurrentRequests: int?
  AiAgents__Telemetry__Redactor: string?

  @description('A Key Vault reference.')
  AiAgents__Telemetry__HmacKey: string?
  AiAgents__Telemetry__HmacKeyId: string?
}

@export()
@description('A role for a principal, at the resource that the module is about.')
@sealed()
type Grant = {
  principalId: string
  kind: 'User' | 'Group' | 'ServicePrincipal'
  role: string
}

@export()
@description('What a private endpoint reaches: a resource, which of its services, and the DNS zones of its names.')
@sealed()
type Target = {
  name: string
  id: string
  group: string
  zones: string[]
}
