"""A stand-in for the data plane of Azure AI Search, for work without a cloud; never deployed.

`SearchService` answers requests; `server` offers it over HTTP, `EmbeddedTransport` to the Azure SDK in process.
"""
