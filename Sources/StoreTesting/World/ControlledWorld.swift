// Exported, so that an import of `StoreTesting` also brings the clocks, numbers and identifiers.
@_exported public import StoreControlledWorld
