// These modules declare types that a program uses, such as the list of actions and the migration.
// With these exports, the program needs no further imports.
@_exported public import StoreActionCatalog
@_exported public import StoreCommandLine
@_exported public import StoreHistory
