package import StoreCore
import StoreJSON
import StoreTexts
import StoreWire

/// The views of a state, and the functions with which a server prepares a state for the views.
package struct ViewProjections<State: Codable & Equatable & Sendable>: Sendable {
    let views: [ViewDescription<State>]
    /// Makes a state from published slices, for views that are requested once and not watched.
    let makeState: @Sendable ([PublishedSlice], Set<Int>, Viewer) throws(JSONError) -> State
    /// Returns the owner whose slice of the module at an index a viewer reads; `nil` if all clients
    /// share the slice.
    let owner: @Sendable (Viewer, Int) -> ExactText?
    /// Sets the viewer on whose behalf a state is read; `nil` if no slices have owners.
    let setViewer: (@Sendable (inout State, Viewer) -> Void)?
}

struct ViewDescription<State: Sendable>: Sendable {
    let published: PublishedView
    let makeView:
        @Sendable (State, any Codable & Sendable, ViewContext) -> (any Encodable & Sendable)?
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
        let owners = Set((named + fields).map { State.readOwnership[$0] })
        published = PublishedView(
            name: View.name,
            parametersType: View.Parameters.self,
            sourceModules: Set(named),
            readableMembers: Set(named + fields),
            readsSessionSlices: owners.contains(.session) || owners.contains(.keyedBySession),
            readsUserSlices: owners.contains(.principal),
            readsRestrictedSlices: owners.contains(.readers),
            isContextual: View.self is any ContextualViewModel<State>.Type
        )
        if let contextual = View.self as? any ContextualViewModel<State>.Type {
            makeView = Self.maker(of: contextual)
        } else {
            makeView = { state, parameters, _ in
                (parameters as? View.Parameters).flatMap { View(state: state, parameters: $0) }
            }
        }
    }

    private static func maker<View: ContextualViewModel<State>>(
        of view: View.Type
    ) -> @Sendable (State, any Codable & Sendable, ViewContext) -> (any Encodable & Sendable)? {
        { state, parameters, context in
            (parameters as? View.Parameters).flatMap {
                View(state: state, parameters: $0, in: context)
            }
        }
    }
}

extension ViewProjections {
    package init(of root: State.Type) where State: RootState {
        views = State.views.map { ViewDescription($0) }
        let names = State.modules.map(\.name)
        let ownership = State.readOwnership
        let layout = SliceLayout(of: State.self)
        owner = { layout.owner(of: $0, $1) }
        let setViewer: @Sendable (inout State, Viewer) -> Void = { state, viewer in
            let shared = SessionName.shared
            let reader = SliceReader(
                session: viewer.session?.text ?? shared,
                owner: viewer.owner?.text ?? OwnerName.visitor(shared)
            )
            for mount in State.modules { mount.slicePlace.setReader(of: &state, to: reader) }
            guard let client = viewer.readerName else { return }
            for mount in State.modules { mount.slicePlace.narrow(&state, to: client) }
        }
        self.setViewer = layout.readerDependentModules.isEmpty ? nil : setViewer
        makeState = { slices, reads, viewer throws(JSONError) in
            // Only the slices that the view reads are needed. All other slices have the values that
            // they had before the first action.
            var json = JSONWriter(capacity: 4_096)
            json.object { json in
                for index in reads.sorted() {
                    json.key(names[index])
                    let bytes = slices[index].bytes ?? SliceLayout.absentSliceJSON
                    guard ownership[index].isOwned, let owner = layout.owner(of: viewer, index)
                    else {
                        json.raw(bytes)
                        continue
                    }
                    // The slice of an owner replaces the table of all owners. The decoder reads
                    // this slice under the owner's name.
                    json.object { json in
                        json.key(owner.text)
                        json.raw(bytes)
                    }
                }
            }
            let decoder = JSONDecoder(limits: .unbounded)
            var state = try decoder.decode(PartialState<State>.self, from: json.byteArray).state
            if !viewer.seesAll { setViewer(&state, viewer) }
            return state
        }
    }
}

/// A root state that is decoded from only some of its slices.
private struct PartialState<State: RootState>: Decodable {
    let state: State

    init(from decoder: any Decoder) throws { state = try State(readingSlicesOf: decoder) }
}
