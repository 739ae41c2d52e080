// What those who write a store name stands where it is used: a list of actions beside the registry
// that is made of it, a migration beside the replay. They need no further import for that.
@_exported public import ActionCatalog
@_exported public import StoreHistory
