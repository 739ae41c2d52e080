// Types that a program names are declared beside their use: a list of actions beside the registry,
// a migration beside the replay. These exports spare the program further imports.
@_exported public import StoreActionCatalog
@_exported public import StoreHistory
