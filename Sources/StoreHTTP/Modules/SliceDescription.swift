package import StoreCore

/// The description of a module, or of a field, for the routes.
package struct SliceDescription: Sendable {
    package let name: String
    /// True if it is a field, which is no module and has no routes of its own.
    package let isField: Bool
    package let form: SliceForm
    /// The owner of its slices: all sessions together, or each session.
    package let ownership: SliceOwnership
    /// The presenters that observe its changes.
    package let presenters: [String]
    /// Returns the action of its view for the moment when a client begins or ceases to show it.
    package let visibility: @Sendable (ViewVisibility) -> (any Action)?

    package init(
        name: String,
        isField: Bool = false,
        form: SliceForm,
        ownership: SliceOwnership,
        presenters: [String],
        visibility: @escaping @Sendable (ViewVisibility) -> (any Action)?
    ) {
        self.name = name
        self.isField = isField
        self.form = form
        self.ownership = ownership
        self.presenters = presenters
        self.visibility = visibility
    }
}
