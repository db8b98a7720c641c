#include "core/remote/remotesession.h"

#include "core/analysis/collaboratespec.h"
#include "core/base/phases.h"
#include "core/remote/connection.h"
#include "core/remote/wire.h"
#include "core/results/jsonread.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace headscope {

namespace {

using nlohmann::json;

/// The result of `work`, whose exceptions become a Result; `host`: whose answers may be none of Headscope's.
template<typename Work>
auto answered(const std::string &host, Work &&work) -> Result<decltype(work())>
{
    using Answer = decltype(work());
    try {
        return work();
    } catch (const Cancelled &) {
        return Result<Answer>::cancelled();
    } catch (const Failure &failure) {
        return failure.error();
    } catch (const json::exception &exception) {
        return badInput(fmt::format("{} sent a message that this version of Headscope does not understand: {}", host,
                                    jsonread::reason(exception)));
    }
}

/// Rows that were brought here once.
class ReceivedRows final : public DataRows
{
public:
    explicit ReceivedRows(std::vector<DataRow> rows) : m_rows(std::move(rows)) { }
    std::int64_t size() const override { return std::ssize(m_rows); }
    DataRow at(std::int64_t index) const override { return m_rows.at(static_cast<std::size_t>(index)); }

private:
    std::vector<DataRow> m_rows;
};

/// A core on another machine, used through messages. If it ends (that machine was restarted), a new core is started and
/// opens the same model and data, provided that the files have not changed.
class RemoteSession final : public Session
{
public:
    RemoteSession(std::filesystem::path folder, ModelOptions options)
        : m_folder(std::move(folder)), m_options(std::move(options))
    {
    }

    void openFirst(const JobControl &control)
    {
        m_connection = Connection::open(m_options.host, control).valueOrThrow();
        m_card = wire::fromWire<ModelCard>(m_connection->ask("model/open", openParams(), control).value);
        m_card.host = m_options.host;
    }

    const ModelCard &card() const override { return m_card; }

    Result<FolderListing> list(const std::filesystem::path &folder, const JobControl &control) const override
    {
        return answered(m_options.host, [&] {
            return wire::fromWire<FolderListing>(ask("folder/list", {{"folder", folder.string()}}, control).value);
        });
    }

    Result<DataPreview> preview(const DataSource &source, const JobControl &control) const override
    {
        return answered(m_options.host, [&] {
            return wire::fromWire<DataPreview>(ask("data/preview", {{"source", wire::toWire(source)}}, control).value);
        });
    }

    Result<DataCard> setData(Domain domain, const DataSource &source, const JobControl &control) override
    {
        return answered(m_options.host, [&] {
            Slot slot{.origin = source,
                      .card = wire::fromWire<DataCard>(ask("data/set", dataParams(domain, source), control).value),
                      .rows = {}};
            slot.rows = bring(domain, control);
            const std::scoped_lock lock(m_mutex);
            return (slotOf(domain) = std::move(slot))->card;
        });
    }

    void clearData(Domain domain) override
    {
        {
            const std::scoped_lock lock(m_mutex);
            slotOf(domain).reset();
        }
        (void)answered(m_options.host, [&] {
            return ask("data/clear", {{"domain", wire::toWire(domain)}}, JobControl()).value;
        });
    }

    std::optional<DataCard> data(Domain domain) const override
    {
        const std::scoped_lock lock(m_mutex);
        const auto &slot = slotOf(domain);
        return slot ? std::optional(slot->card) : std::nullopt;
    }

    std::shared_ptr<const DataRows> rows(Domain domain) const override
    {
        const std::scoped_lock lock(m_mutex);
        const auto &slot = slotOf(domain);
        return slot ? slot->rows : nullptr;
    }

    Result<AnyResult> runAny(Domain domain, const AnySpec &spec, const JobControl &control,
                             const Publish<AnyResult> &publish) override
    {
        return answered(m_options.host, [&] {
            json params = wire::toWire(spec);
            params["domain"] = wire::toWire(domain);
            params["partial"] = static_cast<bool>(publish);
            const auto read = [&](const json &result) { return resultFromJson(result, m_options.host).valueOrThrow(); };
            std::function<void(const json &)> onPartial;
            if (publish)
                onPartial = [&](const json &partial) { publish(read(partial)); };
            return read(ask("analysis/run", std::move(params), control, onPartial).value);
        });
    }

    Result<std::vector<AnyResult>> unfinished(Domain domain, const JobControl &control) override
    {
        return answered(m_options.host, [&] {
            const json answer = ask("work/unfinished", {{"domain", wire::toWire(domain)}}, control).value;
            std::vector<AnyResult> found;
            for (const json &result : answer.at("results"))
                found.push_back(resultFromJson(result, m_options.host).valueOrThrow());
            return found;
        });
    }

    void keepWorkIn(const std::filesystem::path &) override { } // it is kept where it is computed
    void release(const std::vector<std::string> &keys) override
    {
        if (!keys.empty()) // an older core keeps nothing
            (void)answered(m_options.host, [&] { return ask("work/release", {{"keys", keys}}, JobControl()).value; });
    }

    Result<AttentionResult> attention(const std::string &source, const std::optional<std::string> &target,
                                      const HeadMask &mask, const RunOptions &run, const JobControl &control,
                                      const SentenceTree &tree) override
    {
        return answered(m_options.host, [&] {
            json params{
                {"source", source}, {"mask", toText(mask)}, {"run", wire::toWire(run)}, {"tree", wire::toWire(tree)}};
            if (target)
                params["target"] = *target;
            return wire::attentionResult(ask("attention/of", std::move(params), control));
        });
    }

    Result<NeuronResult> neurons(const AttentionResult &shown, const HeadRef &head, const HeadMask &mask,
                                 const JobControl &control) override
    {
        return answered(m_options.host, [&] {
            return wire::neuronResult(
                ask("attention/neurons",
                    {{"sentence", wire::sentenceOf(shown)}, {"head", toText(head)}, {"mask", toText(mask)}}, control));
        });
    }

    Result<PrunedCard> prunedCard(const HeadMask &mask, const JobControl &control) const override
    {
        return answered(m_options.host, [&] {
            return wire::fromWire<PrunedCard>(ask("pruned/card", {{"mask", toText(mask)}}, control).value);
        });
    }

    Result<PrunedCard> exportPruned(const ExportSpec &spec, const std::filesystem::path &folder,
                                    const JobControl &control) const override
    {
        return answered(m_options.host, [&] {
            json params = wire::toWire(spec);
            params["folder"] = folder.string();
            return wire::fromWire<PrunedCard>(ask("pruned/export", std::move(params), control).value);
        });
    }

    Result<Done> exportShared(const CollaborateSpec &spec, const std::filesystem::path &folder,
                              const JobControl &control) const override
    {
        return answered(m_options.host, [&] {
            json params = wire::toWire(AnySpec(spec));
            params["folder"] = folder.string();
            (void)ask("shared/export", std::move(params), control);
            return Done{};
        });
    }

private:
    struct Slot
    {
        DataSource origin;
        DataCard card;
        std::shared_ptr<const DataRows> rows;
    };

    std::optional<Slot> &slotOf(Domain domain) { return m_slots[static_cast<std::size_t>(domain)]; }
    const std::optional<Slot> &slotOf(Domain domain) const { return m_slots[static_cast<std::size_t>(domain)]; }

    json openParams() const { return {{"folder", m_folder.string()}, {"options", wire::toWire(m_options)}}; }
    static json dataParams(Domain domain, const DataSource &source)
    {
        return {{"domain", wire::toWire(domain)}, {"source", wire::toWire(source)}};
    }

    wire::WithFloats ask(const std::string &method, const json &params, const JobControl &control,
                         const std::function<void(const json &)> &onPartial = {}) const
    {
        const auto now = connection();
        try {
            return now->ask(method, params, control, onPartial);
        } catch (const ConnectionLost &) {
            return restored(now, control)->ask(method, params, control, onPartial);
        }
    }

    std::shared_ptr<Connection> connection() const
    {
        const std::scoped_lock lock(m_mutex);
        return m_connection;
    }

    /// A connection to a new core that has open what the one that is gone had. Throws Failure where files are not the
    /// same.
    std::shared_ptr<Connection> restored(const std::shared_ptr<Connection> &gone, const JobControl &control) const
    {
        const std::scoped_lock once(m_restoring);
        if (const auto now = connection(); now != gone)
            return now;
        auto made = Connection::open(m_options.host, control).valueOrThrow();
        const ModelCard model = wire::fromWire<ModelCard>(made->ask("model/open", openParams(), control).value);
        if (model.weightsHash != m_card.weightsHash || model.files != m_card.files)
            throw Failure(badInput(fmt::format("{}: {} has changed since it was opened. Open it again.", m_options.host,
                                               m_folder.string())));
        for (const Domain domain : {Domain::In, Domain::Out}) {
            std::optional<Slot> slot;
            {
                const std::scoped_lock lock(m_mutex);
                slot = slotOf(domain);
            }
            if (slot
                && wire::fromWire<DataCard>(made->ask("data/set", dataParams(domain, slot->origin), control).value).hash
                       != slot->card.hash)
                throw Failure(badInput(fmt::format("{}: {} has changed since it was opened. Open it again.",
                                                   m_options.host, slot->card.name)));
        }
        const std::scoped_lock lock(m_mutex);
        return m_connection = made;
    }

    std::shared_ptr<const DataRows> bring(Domain domain, const JobControl &control) const
    {
        std::vector<DataRow> rows;
        for (std::int64_t total = 1; std::ssize(rows) < total;) {
            const json part
                = ask("data/rows", {{"domain", wire::toWire(domain)}, {"from", rows.size()}}, control).value;
            total = part.at("total").get<std::int64_t>();
            const json &list = part.at("rows");
            if (list.empty())
                break;
            for (const json &row : list)
                rows.push_back(wire::fromWire<DataRow>(row));
            control.progress({.phase = kPhaseTexts, .unit = "rows", .done = std::ssize(rows), .total = total});
        }
        return std::make_shared<const ReceivedRows>(std::move(rows));
    }

    std::filesystem::path m_folder;
    ModelOptions m_options;
    ModelCard m_card;
    mutable std::mutex m_restoring;
    mutable std::mutex m_mutex; ///< guards what follows
    mutable std::shared_ptr<Connection> m_connection;
    std::array<std::optional<Slot>, 2> m_slots;
};

} // namespace

Result<std::shared_ptr<Session>> openRemoteSession(const std::filesystem::path &folder, const ModelOptions &options,
                                                   const JobControl &control)
{
    return answered(options.host, [&]() -> std::shared_ptr<Session> {
        auto session = std::make_shared<RemoteSession>(folder, options);
        session->openFirst(control);
        return session;
    });
}

Result<FolderListing> listRemoteFolder(Connection &connection, const std::filesystem::path &folder,
                                       const JobControl &control)
{
    return answered(connection.host(), [&] {
        return wire::fromWire<FolderListing>(
            connection.ask("folder/list", {{"folder", folder.string()}}, control).value);
    });
}

} // namespace headscope
