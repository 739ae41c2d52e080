/// Finds the route of an action by its type.
///
/// A dictionary would do, and take ten times as long: types are distinguished by their addresses.
struct ActionRouteTable: Sendable {
    private struct Slot {
        var type: ObjectIdentifier
        var route: ActionRoute
    }

    /// Open addressing: the first free slot behind a type's own ends the search. At most half are
    /// taken.
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

    /// Types are aligned, so the lowest bits of their addresses are alike.
    private static func place(of type: ObjectIdentifier, in count: Int) -> Int {
        let address = UInt(bitPattern: type)
        return Int(truncatingIfNeeded: address >> 4 ^ address >> 12) & (count - 1)
    }
}
