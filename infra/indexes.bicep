// The indexes of this installation, in one place for all environments: those of the sample data. Put yours here.

import { Index } from 'types.bicep'

@export()
@description('What callers may name; the members are explained in docs/indexes.md.')
var indexes Index[] = [
  {
    Name: 'schools'
    ContentFields: [
      'name'
      'phase'
      'type'
      'town'
      'postcode'
      'local_authority'
      'headteacher'
      'number_on_roll'
      'percentage_free_school_meals'
      'open_date'
      'is_open'
      'summary'
    ]
    NameField: 'name'
    LinkField: 'url'
    KeyField: 'urn'
    SemanticConfiguration: 'default'
    SemanticFallback: true
  }
  {
    Name: 'inspections'
    ContentFields: ['school_name', 'date', 'outcome', 'inspector', 'title', 'body']
    NameField: 'title'
    LinkField: 'url'
    KeyField: 'id'
    SemanticConfiguration: 'default'
    SemanticFallback: true
  }
  {
    Name: 'trusts'
    ContentFields: ['name', 'headquarters_town', 'number_of_schools', 'chief_executive', 'summary']
    NameField: 'name'
    LinkField: 'url'
    KeyField: 'trust_id'
    SemanticConfiguration: 'default'
    SemanticFallback: true
  }
]

@export()
@description('Named retrieve set-ups over them.')
var agents = [
  {
    Name: 'schools-agent'
    Indexes: [{ Name: 'schools' }, { Name: 'inspections' }]
  }
]
