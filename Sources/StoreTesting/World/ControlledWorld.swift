// Exported, so that tests that import `StoreTesting` have the clocks, numbers and identifiers, too.
@_exported public import StoreControlledWorld
