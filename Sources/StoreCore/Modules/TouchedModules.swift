/// Modules whose slices may have changed, by their places in ``RootState/modules``.
package final class TouchedModules: @unchecked Sendable {
    // Safety: belongs to the Core's thread.

    @exclusivity(unchecked) private var touched: Set<Int> = []
    /// What was noted last; the next is often the same.
    @exclusivity(unchecked) private var last: Int?

    package init() {}

    /// The modules whose slices an action has written.
    package func insert(_ touches: Touches) {
        touches.forEach { touch in
            if last == touch.module { return }
            last = touch.module
            touched.insert(touch.module)
        }
    }

    /// Modules whose slices may be others.
    package func insert(_ modules: Range<Int>) {
        touched.formUnion(modules)
        last = nil
    }

    /// Returns them in order, and forgets them.
    package func take() -> [Int] {
        last = nil
        if touched.count == 0 { return [] }
        defer { touched.removeAll(keepingCapacity: true) }
        return touched.sorted()
    }
}
