import Glibc
import StoreHTTP

extension ServerConfiguration {
    /// Returns the configuration for one of the added stores, which has files of its own.
    func forStore(_ links: Links) -> ServerConfiguration {
        guard let name = links.store else { return self }
        var own = self
        own.history.directory += "/stores/\(name)"
        own.analytics.source += "/stores/\(name)"
        own.history.stateFile = nil
        return own
    }
}

/// The folder for the histories of added stores: `stores`, in the data directory.
enum StoreFolders {
    /// Makes the folders if they are missing, durably, for their owner alone. Errors are ignored
    /// here: the journal then fails to make its own folder, and reports that.
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
