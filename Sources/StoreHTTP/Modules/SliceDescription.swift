package import StoreCore

/// A module as others may know it.
package struct SliceDescription: Sendable {
    package let name: String
    package let form: SliceForm
    /// The presenters that are told of its changes.
    package let presenters: [String]
    /// What its view says when it is shown, and when that ends.
    package let lifecycle: @Sendable (ViewMoment) -> (any Action)?

    package init(
        name: String,
        form: SliceForm,
        presenters: [String],
        lifecycle: @escaping @Sendable (ViewMoment) -> (any Action)?
    ) {
        self.name = name
        self.form = form
        self.presenters = presenters
        self.lifecycle = lifecycle
    }
}
