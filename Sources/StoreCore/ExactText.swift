// This file exports the whole module of ``ExactText``. A typealias would not make the members
// visible to programs, because of the feature `MemberImportVisibility`.
@_exported public import StoreTexts
