// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationNetworking)
    import Dispatch
    import Foundation
    import FoundationNetworking
    @_spi(Reflection) import Swift

    /// The parts of a task that Foundation's own protocols use, but that it does not publish.
    ///
    /// In swift-corelibs-foundation 6.3, a protocol finds the body of an upload, the delegate's session and queue, and the
    /// form in which a task expects its data only here. They are read by reflection, and never changed. If one is
    /// missing, the task fails before anything is sent. `TaskPartsTests` fails for a version with other names.
    struct TaskParts {
        /// The form in which a task expects the body of a response.
        enum Delivery {
            /// The data delegate receives each part.
            case parts
            /// The completion handler receives the last data that the client was given, which must be the complete body.
            case complete
            /// A download receives the URL of a file.
            case file
        }

        /// The URL session of the task.
        let urlSession: URLSession
        /// The serial queue on which Foundation calls the protocol, and on which the protocol must call its client.
        let queue: DispatchQueue
        /// The body of the request.
        let body: UploadBody
        let delivery: Delivery
        /// The delegate that an `async` method of the URL session was given for the task.
        ///
        /// In swift-corelibs-foundation 6.3, `task.delegate` is that of the URL session even then.
        let ownDelegate: (any URLSessionTaskDelegate)?
        /// The delegates in the order in which they are asked: the task's own one, and `task.delegate`.
        let delegates: [any URLSessionTaskDelegate]

        /// Reads the parts; must be called on the queue of the task, on which the registry of tasks may be read.
        ///
        /// - Returns: `nil` if a part is missing.
        init?(_ task: URLSessionTask) {
            guard let urlSession = Self.property("session", of: task) as? URLSession,
                let queue = Self.property("workQueue", of: task) as? DispatchQueue,
                let knownBody = Self.property("knownBody", of: task), let body = UploadBody(reflecting: knownBody),
                let registry = Self.property("taskRegistry", of: urlSession),
                let behaviors = Self.property("behaviours", of: registry),
                let behavior = (behaviors as? any TaskDictionary)?.value(of: task.taskIdentifier),
                let delivery = Delivery(of: task, reflecting: behavior)
            else { return nil }
            (self.urlSession, self.queue, self.body, self.delivery) = (urlSession, queue, body, delivery)
            let payload = Mirror(reflecting: behavior).children.first?.value
            let own = payload.flatMap { Array(Mirror(reflecting: $0).children).last?.value }
            ownDelegate = own as? any URLSessionTaskDelegate
            delegates = [ownDelegate, ownDelegate === task.delegate ? nil : task.delegate].compactMap(\.self)
        }

        /// Returns the value of a stored property of an object, or of its superclasses.
        private static func property(_ name: String, of object: Any) -> Any? {
            var mirror: Mirror? = Mirror(reflecting: object)
            while let current = mirror {
                if let child = current.children.first(where: { $0.label == name }) { return child.value }
                mirror = current.superclassMirror
            }
            return nil
        }
    }

    extension TaskParts.Delivery {
        /// Reads the form from the case that the registry of a URL session's tasks has for a task.
        fileprivate init?(of task: URLSessionTask, reflecting behavior: Any) {
            switch Mirror(reflecting: behavior).children.first?.label ?? "\(behavior)" {
            case "callDelegate": self = task is URLSessionDownloadTask ? .file : .parts
            case "dataCompletionHandler", "dataCompletionHandlerWithTaskDelegate": self = .complete
            case "downloadCompletionHandler", "downloadCompletionHandlerWithTaskDelegate": self = .file
            default: return nil
            }
        }
    }

    /// A dictionary by the identifiers of tasks, whose values are of an unpublished type.
    private protocol TaskDictionary {
        func value(of identifier: Int) -> Any?
    }

    extension Dictionary: TaskDictionary where Key == Int {
        fileprivate func value(of identifier: Int) -> Any? { self[identifier] }
    }

    extension URLProtocol {
        /// Stores the file of a finished download, which Foundation's client reads from the protocol's properties.
        ///
        /// Foundation stores it there itself only for its own protocols; without it, a download ends with a trap. The
        /// runtime's metadata give the offset and the type of the property, so that no other memory is written.
        ///
        /// - Returns: Whether the property was found.
        func store(download file: URL) -> Bool {
            let address = Unmanaged.passUnretained(self).toOpaque()
            var isStored = false
            // The option `classType`, whose declaration is not safe for concurrency.
            let options = _EachFieldOptions(rawValue: 1)
            _ = _forEachField(of: URLProtocol.self, options: options) { name, offset, type, _ in
                guard String(cString: name) == "properties", let type = type as? any PropertyDictionary.Type else {
                    return true
                }
                isStored = type.store(file, forKey: "temporaryFileURL", at: address + offset)
                return false
            }
            return isStored
        }
    }

    /// The type of the properties of a URL protocol, whose keys are of an unpublished type.
    private protocol PropertyDictionary {
        static func store(_ value: Any, forKey key: String, at address: UnsafeMutableRawPointer) -> Bool
    }

    extension Dictionary: PropertyDictionary where Value == Any {
        fileprivate static func store(_ value: Any, forKey key: String, at address: UnsafeMutableRawPointer) -> Bool {
            guard let type = Key.self as? any RawRepresentable<String>.Type, let key = type.init(rawValue: key) as? Key
            else { return false }
            address.assumingMemoryBound(to: Self.self).pointee[key] = value
            return true
        }
    }
#endif
