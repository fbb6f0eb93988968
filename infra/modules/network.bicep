// The virtual network of the private variant: one subnet for the app to go out by, one for the private endpoints.

param name string
param location string
param tags { *: string }
param addressPrefix string

resource network 'Microsoft.Network/virtualNetworks@2025-05-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    addressSpace: { addressPrefixes: [addressPrefix] }
    subnets: [
      {
        name: 'app'
        properties: {
          addressPrefix: cidrSubnet(addressPrefix, 26, 0)
          // Flex Consumption runs on Container Apps, hence not Microsoft.Web.
          delegations: [{ name: 'flex', properties: { serviceName: 'Microsoft.App/environments' } }]
        }
      }
      {
        name: 'endpoints'
        properties: {
          addressPrefix: cidrSubnet(addressPrefix, 26, 1)
          privateEndpointNetworkPolicies: 'Disabled'
        }
      }
    ]
  }

  resource app 'subnets' existing = {
    name: 'app'
  }

  resource endpoints 'subnets' existing = {
    name: 'endpoints'
  }
}

output id string = network.id
output appSubnetId string = network::app.id
output endpointSubnetId string = network::endpoints.id
