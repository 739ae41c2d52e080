/// A table that finds the route of an action by its type.
///
/// The addresses of the types are their hashes. A dictionary would take ten times as long.
struct ActionRouteTable: Sendable {
    private struct Slot {
        var type: ObjectIdentifier
        var route: ActionRoute
    }

    /// Open addressing: a search ends at the first free slot behind the first slot of the type. At
    /// most half of the slots are in use.
    private let slots: [Slot?]

    init(_ routes: [ObjectIdentifier: ActionRoute]) {
        var count = 4
        while count < routes.count * 2 { count *= 2 }
        var slots: [Slot?] = Array(repeating: nil, count: count)
        for (type, route) in routes {
            var place = Self.place(of: type, in: count)
            while slots[place] != nil { place = (place + 1) & (count - 1) }
            slots[place] = Slot(type: type, route: route)
        }
        self.slots = slots
    }

    subscript(type: ObjectIdentifier) -> ActionRoute? {
        var place = Self.place(of: type, in: slots.count)
        while let slot = slots[place] {
            if slot.type == type { return slot.route }
            place = (place + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Returns the first slot of a type. Types are aligned in memory, so the lowest bits of their
    /// addresses are equal.
    private static func place(of type: ObjectIdentifier, in count: Int) -> Int {
        let address = UInt(bitPattern: type)
        return Int(truncatingIfNeeded: address >> 4 ^ address >> 12) & (count - 1)
    }
}
