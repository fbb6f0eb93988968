// What the type of one parameter cannot say: members that contradict each other. All problems stop the deployment in one
// message, when it is validated and before anything is made.

import { Agent, Briefings, Entra, Hosting, Index, Network, Options, Search, Watch } from 'types.bicep'

@sealed()
type Given = {
  environmentName: string
  entra: Entra
  hosting: Hosting
  search: Search
  network: Network
  watch: Watch
  briefings: Briefings
  indexes: Index[]
  agents: Agent[]
  options: Options
  allowedOrigins: string[]
}

@export()
@description('Everything that is wrong with a set of parameters; empty when it can be deployed.')
func problemsOf(given Given) string[] =>
  flatten([
    nameProblems(given.environmentName)
    entraProblems(given.entra)
    hostingProblems(given.hosting)
    searchProblems(given.search)
    indexProblems(given.indexes, given.agents, given.search)
    briefingProblems(given.briefings)
    networkProblems(given.network, given.allowedOrigins)
    optionProblems(given.options, given.indexes)
    watchProblems(given.watch)
  ])

@description('Texts that are empty dropped: the problems that are there.')
func found(problems string[]) string[] => filter(problems, problem => !empty(problem))

@description('Every resource is named after the environment: letters, digits and hyphens are what all of them take.')
func nameProblems(environmentName string) string[] =>
  found([
    empty(filter([' ', '.', '_', '/', ':'], character => contains(environmentName, character)))
      ? ''
      : 'environmentName ${environmentName} is no name for resources: use letters, digits and hyphens.'
  ])

@description('Callers are let in by Entra alone, so there is no deployment without an app registration.')
func entraProblems(entra Entra) string[] =>
  found([
    length(entra.clientId) == 36 && entra.clientId != '00000000-0000-0000-0000-000000000000'
      ? ''
      : 'entra.clientId is no application id: register the app (docs/deployment.md) and set ENTRA_CLIENT_ID; without it nobody could be told from anybody.'
    entra.?tenantId == null || length(entra.tenantId!) == 36
      ? ''
      : 'entra.tenantId is no tenant id: leave it out for the tenant deployed to.'
    contains(map(entra.?allowedApplications ?? [], client => length(client) == 36), false)
      ? 'entra.allowedApplications holds something else than client ids.'
      : ''
  ])

@description('Instances that cannot be kept warm as asked.')
func hostingProblems(hosting Hosting) string[] =>
  found([
    hosting.alwaysReady > hosting.maximumInstances
      ? 'hosting.alwaysReady (${hosting.alwaysReady}) is over hosting.maximumInstances (${hosting.maximumInstances}).'
      : ''
    hosting.zoneRedundant && hosting.alwaysReady == 1
      ? 'hosting.alwaysReady is 1 in a zone-redundant plan: 0, or 2 and more.'
      : ''
  ])

@description('Sizes that the service does not sell.')
func searchProblems(search Search) string[] =>
  search.kind == 'existing'
    ? []
    : found([
        search.sku == 'basic' && (search.replicas > 3 || search.partitions > 3)
          ? 'search.sku basic has at most 3 replicas and 3 partitions.'
          : ''
        search.replicas * search.partitions > 36
          ? 'search.replicas × search.partitions is ${search.replicas * search.partitions}: at most 36.'
          : ''
      ])

@description('Indexes and agents that do not fit each other or the search service.')
func indexProblems(indexes Index[], agents Agent[], search Search) string[] =>
  concat(
    repeatedNames(indexes),
    unrankedIndexes(indexes, search),
    unknownIndexes(agents, map(indexes, index => index.Name))
  )

func repeatedNames(indexes Index[]) string[] => length(union(map(indexes, index => index.Name), [])) == length(indexes) ? [] : ['indexes name the same index twice.']

func unrankedIndexes(indexes Index[], search Search) string[] =>
  map(
    filter(
      indexes,
      index => search.kind == 'new' && search.?semantic == 'disabled' && index.?SemanticConfiguration != null
    ),
    index => 'indexes: ${index.Name} has a SemanticConfiguration, but search.semantic is disabled.'
  )

func unknownIndexes(agents Agent[], names string[]) string[] =>
  flatten(map(
    agents,
    agent =>
      map(
        filter(agent.Indexes, index => !contains(names, index.Name)),
        index => 'agents: ${agent.Name} names the index ${index.Name}, which is not among indexes.'
      )
  ))

@description('Names that storage would refuse, or that would send messages in circles.')
func briefingProblems(briefings Briefings) string[] =>
  found([
    briefings.queue == toLower(briefings.queue) && briefings.container == toLower(briefings.container)
      ? ''
      : 'briefings.queue and briefings.container are written in lower case.'
    contains([briefings.queue, '${briefings.queue}-poison'], briefings.?doneQueue ?? '')
      ? 'briefings.doneQueue is the briefing queue or its poison queue: final messages would be read as new ones.'
      : ''
  ])

@description('Address ranges that are too small, and origins that let every page in.')
func networkProblems(network Network, allowedOrigins string[]) string[] =>
  found([
    network.kind == 'private' && parseCidr(network.?addressPrefix ?? '10.0.0.0/24').cidr > 24
      ? 'network.addressPrefix is smaller than /24: the app and the private endpoints need a subnet each.'
      : ''
    contains(allowedOrigins, '*') ? 'allowedOrigins holds *: name the origins, pages of all others stay out.' : ''
  ])

@description('Secrets as plain text, halves of pairs, and an index that nobody configured.')
func optionProblems(options Options, indexes Index[]) string[] =>
  found([
    secretProblem('AiAgents__Telemetry__HmacKey', options.?AiAgents__Telemetry__HmacKey)
    secretProblem(
      'AiAgents__AISearch__Authentication__ClientSecret',
      options.?AiAgents__AISearch__Authentication__ClientSecret
    )
    options.?AiAgents__Telemetry__Redactor == 'hmac' && options.?AiAgents__Telemetry__HmacKey == null
      ? 'options: AiAgents__Telemetry__Redactor is hmac, but AiAgents__Telemetry__HmacKey is not set.'
      : ''
    options.?AiAgents__Context__Index != null && (options.?AiAgents__Context__Filter == null) != (options.?AiAgents__Context__Unfiltered == true)
      ? 'options: AiAgents__Context__Index needs either AiAgents__Context__Filter or AiAgents__Context__Unfiltered true.'
      : ''
    options.?AiAgents__Context__Index == null || contains(
        map(indexes, index => index.Name),
        options.?AiAgents__Context__Index ?? ''
      )
      ? ''
      : 'options: AiAgents__Context__Index names ${options.?AiAgents__Context__Index}, which is not among indexes.'
  ])

@description('Alerts that would be sent to nobody.')
func watchProblems(watch Watch) string[] =>
  found([
    contains(map(watch.emails, email => contains(email, '@')), false)
      ? 'watch.emails holds an address without @: set ALERT_EMAIL, or leave the list empty.'
      : ''
  ])

func secretProblem(name string, value string?) string =>
  value == null || startsWith(value!, '@Microsoft.KeyVault(')
    ? ''
    : 'options: ${name} is not a Key Vault reference: no secret stands in a deployment.'
