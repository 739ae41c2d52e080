/// The form of a root state as a client gets it, for schemas. The slices of the client's session
/// take the place of the slices of all sessions.
package struct VisibleRoot<Root: RootState>: Decodable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: SliceName.self)
        for mount in Root.modules {
            try mount.slice.readVisible(from: container, under: SliceName(mount.name))
        }
    }
}
