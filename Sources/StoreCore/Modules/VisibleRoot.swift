/// The form of what a client gets of a root state, for schemas: its session's slices stand in the
/// place of all.
package struct VisibleRoot<Root: RootState>: Decodable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: SliceName.self)
        for mount in Root.modules {
            try mount.slice.readVisible(from: container, under: SliceName(mount.name))
        }
    }
}
