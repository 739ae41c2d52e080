import Glibc

/// The folders that the histories of added stores lie in: `stores`, in the data directory.
enum StoreFolders {
    /// Makes them, durable, for their owner alone, where they are not there yet. An error
    /// is left to the journal: it fails to make its own folder there, and reports that.
    static func make(in dataDirectory: String) {
        for (folder, parent) in [
            (dataDirectory, dataDirectory + "/.."), (dataDirectory + "/stores", dataDirectory),
        ] where mkdir(folder, 0o700) == 0 {
            let descriptor = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            fsync(descriptor)
            close(descriptor)
        }
    }
}
