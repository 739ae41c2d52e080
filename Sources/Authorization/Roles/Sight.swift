/// The members of the root state that a role sees. Roles that see the same ones have equal sights.
package struct Sight: Sendable, Hashable {
    /// All of the state, also where it is one piece.
    package static let whole = Sight(isWhole: true, places: [])

    /// Whether it is all of the state.
    package let isWhole: Bool
    /// For each member of the root state, in its order, whether it is seen; empty where all are.
    private let places: [Bool]

    /// The sight of some members. One of all members is the whole.
    init(_ places: [Bool]) {
        let isWhole = !places.isEmpty && places.allSatisfy { $0 }
        self.init(isWhole: isWhole, places: isWhole ? [] : places)
    }

    private init(isWhole: Bool, places: [Bool]) {
        self.isWhole = isWhole
        self.places = places
    }

    /// Whether it is nothing of the state.
    package var isEmpty: Bool { !isWhole && !places.contains(true) }

    /// Whether the member at this place of the root state is seen.
    package func sees(_ place: Int) -> Bool {
        isWhole || (places.indices.contains(place) && places[place])
    }
}
