// Exported, because a typealias would give programs that switch on `MemberImportVisibility` the
// name of ``ExactText`` without its members.
@_exported public import StoreTexts
