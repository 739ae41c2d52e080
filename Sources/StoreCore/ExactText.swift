// Exported: with the feature `MemberImportVisibility`, a typealias would give programs the name of
// ``ExactText`` without its members.
@_exported public import StoreTexts
