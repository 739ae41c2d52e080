// Exported, so that tests that import `StoreTesting` also get the clocks, numbers and identifiers.
@_exported public import StoreControlledWorld
