// A typealias would give programs the name of ``ExactText`` without its members, because of the
// feature `MemberImportVisibility`. So the module is exported.
@_exported public import StoreTexts
