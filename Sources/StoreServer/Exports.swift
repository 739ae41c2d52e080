// The types that a program names are declared beside their use: a list of actions beside the
// registry that is made of it, a migration beside the replay. A program needs no further import.
@_exported public import StoreActionCatalog
@_exported public import StoreHistory
