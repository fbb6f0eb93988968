// The one identity of the app: it reads the deployment package, the queues, the indexes and the model with it.

param name string
param location string
param tags { *: string }

resource identity 'Microsoft.ManagedIdentity/userAssignedIdentities@2024-11-30' = {
  name: name
  location: location
  tags: tags
}

output id string = identity.id
output clientId string = identity.properties.clientId
output principalId string = identity.properties.principalId
