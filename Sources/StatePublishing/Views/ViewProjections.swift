package import StoreCore
import Wire

/// The projections of a state, as a server shows them.
package struct ViewProjections<State: Codable & Equatable & Sendable>: Sendable {
    let views: [ViewDescription<State>]
    /// Makes a state of published slices, for views that are asked for and not watched.
    let state: @Sendable ([PublishedSlice], Set<Int>) throws(JSONError) -> State

    init(
        views: [ViewDescription<State>],
        state: @escaping @Sendable ([PublishedSlice], Set<Int>) throws(JSONError) -> State
    ) {
        self.views = views
        self.state = state
    }
}

/// One projection, with the way to make it.
struct ViewDescription<State: Sendable>: Sendable {
    let published: PublishedView
    /// Makes it; `nil` where there is nothing to show.
    let make: @Sendable (State, any Codable & Sendable) -> (any Encodable & Sendable)?
}

extension ViewDescription where State: RootState {
    init<View: ParameterizedViewModel<State>>(_ view: View.Type) {
        let names = Set(View.reads.map { $0.name })
        let places = State.modules.indices.filter { names.contains(State.modules[$0].name) }
        published = PublishedView(
            name: View.name,
            parameters: View.Parameters.self,
            reads: Set(names.isEmpty ? Array(State.modules.indices) : places)
        )
        make = { state, parameters in
            (parameters as? View.Parameters).flatMap { View(state: state, parameters: $0) }
        }
    }
}

extension ViewProjections {
    package init(of root: State.Type) where State: RootState {
        views = State.views.map { ViewDescription($0) }
        let names = State.modules.map(\.name)
        state = { slices, reads throws(JSONError) in
            // Only what is read has to be there; the rest is as before the first action.
            var json = JSONWriter(capacity: 4_096)
            json.object { json in
                for index in reads.sorted() {
                    json.key(names[index])
                    if let bytes = slices[index].bytes { json.raw(bytes) } else { json.null() }
                }
            }
            let decoder = JSONDecoder(limits: .unbounded)
            return try decoder.decode(PartialState<State>.self, from: json.array).state
        }
    }
}

/// A root state of which only some slices are there.
private struct PartialState<State: RootState>: Decodable {
    let state: State

    init(from decoder: any Decoder) throws {
        state = try State(readingSlicesOf: decoder)
    }
}
