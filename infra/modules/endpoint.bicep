// One private endpoint with its DNS zones: the name that the app calls resolves to an address of the network.

param name string
param location string
param tags { *: string }
param networkId string
param subnetId string

@description('The resource behind the endpoint, and which of its services.')
param targetId string
param group string

@description('DNS zones of that service. Each is used by one endpoint only, so it is made here.')
param zones string[]

resource zone 'Microsoft.Network/privateDnsZones@2024-06-01' = [
  for zone in zones: {
    name: zone
    location: 'global'
    tags: tags
  }
]

resource link 'Microsoft.Network/privateDnsZones/virtualNetworkLinks@2024-06-01' = [
  for position in range(0, length(zones)): {
    parent: zone[position]
    name: 'app'
    location: 'global'
    tags: tags
    properties: {
      registrationEnabled: false
      virtualNetwork: { id: networkId }
    }
  }
]

resource endpoint 'Microsoft.Network/privateEndpoints@2025-05-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    subnet: { id: subnetId }
    privateLinkServiceConnections: [
      {
        name: group
        properties: { privateLinkServiceId: targetId, groupIds: [group] }
      }
    ]
  }

  resource names 'privateDnsZoneGroups' = {
    name: 'default'
    properties: {
      privateDnsZoneConfigs: [
        for position in range(0, length(zones)): {
          name: replace(zones[position], '.', '-')
          properties: { privateDnsZoneId: zone[position].id }
        }
      ]
    }
  }
}
