/// Modules whose slices may have changed, by their places in ``RootState/modules``, and of those
/// that have instances, which of these.
package final class TouchedModules: @unchecked Sendable {
    // Safety: belongs to the Core's thread.

    /// What may have changed of one module.
    package struct Slices {
        /// The module's place.
        package let module: Int
        /// The instances; all of them, or the one slice of a module without any, where it is `nil`.
        package fileprivate(set) var instances: Set<ExactText>?
    }

    @exclusivity(unchecked) private var touched: [Int: Slices] = [:]
    /// What was noted last; the next is often the same.
    @exclusivity(unchecked) private var last: Touch?

    package init() {}

    /// Adds a module, and the only instance of it that may have changed, where that is known.
    package func insert(_ module: Int, _ instance: String? = nil) {
        guard let instance else {
            touched[module] = Slices(module: module, instances: nil)
            return
        }
        touched[module, default: Slices(module: module, instances: [])]
            .instances?.insert(ExactText(instance))
    }

    /// The slices that an action has written.
    package func insert(_ touches: Touches) {
        touches.forEach { touch in
            if last?.module == touch.module, last?.instance == touch.instance { return }
            last = touch
            insert(touch.module, touch.instance?.text)
        }
    }

    /// Returns them in order, and forgets them.
    package func take() -> [Slices] {
        last = nil
        if touched.count == 0 { return [] }
        defer { touched.removeAll(keepingCapacity: true) }
        return touched.values.sorted { $0.module < $1.module }
    }
}
