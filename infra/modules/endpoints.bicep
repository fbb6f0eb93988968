// The private endpoints of the network, one for each service that answers inside it.

import { Target } from '../types.bicep'

@description('Part of every name.')
param environment string
param location string
param tags { *: string }
param networkId string
param subnetId string
param targets Target[]

module endpoint 'endpoint.bicep' = [
  for target in targets: {
    params: {
      name: 'pep-${target.name}-${environment}'
      location: location
      tags: tags
      networkId: networkId
      subnetId: subnetId
      targetId: target.id
      group: target.group
      zones: target.zones
    }
  }
]
