package import StoreCore
import StoreJSON

/// The views of a state, and the functions with which a server prepares a state for the views.
package struct ViewProjections<State: Codable & Equatable & Sendable>: Sendable {
    let views: [ViewDescription<State>]
    /// Makes a state from published slices, for views that are requested once and not watched.
    let makeState:
        @Sendable ([PublishedSlice], Set<Int>, _ session: String?) throws(JSONError) -> State
    /// The indices of the modules with a slice for each session.
    let sessionModules: Set<Int>
    /// Sets the session on whose behalf a state is read.
    let setSession: @Sendable (inout State, _ session: String) -> Void
}

struct ViewDescription<State: Sendable>: Sendable {
    let published: PublishedView
    let makeView: @Sendable (State, any Codable & Sendable) -> (any Encodable & Sendable)?
}

extension ViewDescription where State: RootState {
    init<View: ParameterizedViewModel<State>>(_ view: View.Type) {
        let reads: [any ModuleInterface.Type] = View.reads
        let names = Set(reads.map { $0.name })
        let named = State.modules.indices.filter {
            names.isEmpty || names.contains(State.modules[$0].name)
        }
        // Views do not list the fields that they read, so each view may read all fields.
        let fields = State.modules.indices.filter { State.modules[$0].isField }
        published = PublishedView(
            name: View.name,
            parametersType: View.Parameters.self,
            sourceModules: Set(named),
            readableMembers: Set(named + fields),
            isOfSession: State.modules.contains {
                $0.slicePlace.ownership != .everybody
                    && (names.isEmpty || $0.isField || names.contains($0.name))
            }
        )
        makeView = { state, parameters in
            (parameters as? View.Parameters).flatMap { View(state: state, parameters: $0) }
        }
    }
}

extension ViewProjections {
    package init(of root: State.Type) where State: RootState {
        views = State.views.map { ViewDescription($0) }
        let names = State.modules.map(\.name)
        let ownership = State.modules.map(\.slicePlace.ownership)
        sessionModules = Set(ownership.indices.filter { ownership[$0] != .everybody })
        setSession = { state, session in
            let reader = ReadingSession(session)
            for mount in State.modules { mount.slicePlace.setReader(of: &state, to: reader) }
        }
        makeState = { [setSession] slices, reads, session throws(JSONError) in
            // Only the slices that the view reads are needed. All other slices have the values that
            // they had before the first action.
            var json = JSONWriter(capacity: 4_096)
            json.object { json in
                for index in reads.sorted() {
                    json.key(names[index])
                    let bytes = slices[index].bytes ?? SliceLayout.absentSliceJSON
                    guard let session, ownership[index] == .session else {
                        json.raw(bytes)
                        continue
                    }
                    // The slice of a session replaces the table of all sessions. The decoder reads
                    // this slice under the session's name.
                    json.object { json in
                        json.key(session)
                        json.raw(bytes)
                    }
                }
            }
            let decoder = JSONDecoder(limits: .unbounded)
            var state = try decoder.decode(PartialState<State>.self, from: json.byteArray).state
            if let session { setSession(&state, session) }
            return state
        }
    }
}

/// A root state that is decoded from only some of its slices.
private struct PartialState<State: RootState>: Decodable {
    let state: State

    init(from decoder: any Decoder) throws { state = try State(readingSlicesOf: decoder) }
}
