public import StoreCore

extension Mount {
    /// Returns the same module, whose view is presented while its slice is there.
    ///
    /// ```swift
    /// Home().at(\.home).presented()
    /// ```
    ///
    /// The view is presented to the session that starts the slice. Its name is the name of the
    /// module, and for an instance `cards/7`. When the slice ends, the view is removed. A slice
    /// that is always there neither starts nor ends: with such a slice, the store does not start.
    ///
    /// - Parameter style: the style in which the view is presented.
    /// - Returns: the module with that presenter.
    public func presented(as style: PresentationStyle = .push) -> Mount {
        if let module = slice.anyModule { return presented(module, style) }
        // A field has no module, and is always there: the start of the store refuses it.
        let view = SliceView<Sessions.State>(style: style)
        return presented(by: view, named: "presented", needsStart: true)
    }

    private func presented<M: Module>(_ module: M, _ style: PresentationStyle) -> Mount {
        presented(by: SliceView<M.State>(style: style), named: "presented", needsStart: true)
    }
}

extension StartableMount {
    /// Returns the same module, whose view is presented while its slice is there; see
    /// `Mount.presented(as:)`.
    public func presented(as style: PresentationStyle = .push) -> StartableMount {
        changed { $0.presented(as: style) }
    }
}

/// A presenter that presents the view of a slice while the slice is there.
private struct SliceView<State: ModuleState>: ViewPresenter {
    let style: PresentationStyle

    func stateDidUpdate(from old: State?, to new: State?, _ context: PresenterContext) {
        if old == nil, new != nil { context.navigator(style).present() }
        if old != nil, new == nil { context.withdraw() }
    }
}
