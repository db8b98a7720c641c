#pragma once

#include "core/train/trainingconfig.h"
#include "ui/pages/training/numberbox.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QSpinBox>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace headscope {

/// Fields of a form, each tied to one value of a TrainingConfig: `access` is its member, or a function that gives a
/// reference to it.
class TrainingFields
{
public:
    /// `changed` is called when a field changes, by the user or by the program.
    TrainingFields(QWidget *owner, std::function<void()> changed) : m_owner(owner), m_changed(std::move(changed)) { }

    template<typename Access>
    QSpinBox *count(const QString &name, Access access, int least, int most);
    template<typename Access>
    NumberBox *number(const QString &name, Access access, double least, double most);
    template<typename Access>
    QCheckBox *flag(const QString &text, Access access);
    /// Values that are enumerators or texts, with what is shown of them. A text that is not among them is added.
    template<typename Access, typename Value>
    QComboBox *choice(const QString &name, Access access, std::vector<std::pair<Value, QString>> values);
    template<typename Access>
    QLineEdit *folder(const QString &name, Access access);
    /// A whole number that needs all its 64 bits.
    template<typename Access>
    QLineEdit *seed(const QString &name, Access access);

    void show(const TrainingConfig &config) const;
    void take(TrainingConfig &config) const;

private:
    struct Binding
    {
        std::function<void(TrainingConfig &)> show; ///< changes nothing, but `access` needs a reference
        std::function<void(TrainingConfig &)> take;
    };
    template<typename Widget>
    Widget *made(const QString &name);
    static QValidator *seedValidator(QObject *parent);
    static std::filesystem::path folderOf(const QString &text);

    QWidget *m_owner;
    std::function<void()> m_changed;
    std::vector<Binding> m_bindings;
};

template<typename Widget>
Widget *TrainingFields::made(const QString &name)
{
    auto *widget = new Widget(m_owner);
    widget->setAccessibleName(name);
    widget->setFocusPolicy(Qt::StrongFocus);
    return widget;
}

template<typename Access>
QSpinBox *TrainingFields::count(const QString &name, Access access, int least, int most)
{
    auto *box = made<QSpinBox>(name);
    box->setRange(least, most);
    box->setGroupSeparatorShown(true);
    QObject::connect(box, &QSpinBox::valueChanged, m_owner, [this] { m_changed(); });
    m_bindings.push_back({[=](TrainingConfig &config) { box->setValue(static_cast<int>(std::invoke(access, config))); },
                          [=](TrainingConfig &config) { std::invoke(access, config) = box->value(); }});
    return box;
}

template<typename Access>
NumberBox *TrainingFields::number(const QString &name, Access access, double least, double most)
{
    auto *box = made<NumberBox>(name);
    box->setRange(least, most);
    QObject::connect(box, &QDoubleSpinBox::valueChanged, m_owner, [this] { m_changed(); });
    m_bindings.push_back({[=](TrainingConfig &config) { box->setValue(std::invoke(access, config)); },
                          [=](TrainingConfig &config) { std::invoke(access, config) = box->value(); }});
    return box;
}

template<typename Access>
QCheckBox *TrainingFields::flag(const QString &text, Access access)
{
    auto *box = made<QCheckBox>(QString());
    box->setText(text);
    QObject::connect(box, &QCheckBox::toggled, m_owner, [this] { m_changed(); });
    m_bindings.push_back({[=](TrainingConfig &config) { box->setChecked(std::invoke(access, config)); },
                          [=](TrainingConfig &config) { std::invoke(access, config) = box->isChecked(); }});
    return box;
}

template<typename Access, typename Value>
QComboBox *TrainingFields::choice(const QString &name, Access access, std::vector<std::pair<Value, QString>> values)
{
    auto *box = made<QComboBox>(name);
    for (const auto &[value, text] : values)
        box->addItem(text);
    const auto known = std::make_shared<std::vector<std::pair<Value, QString>>>(std::move(values));
    QObject::connect(box, &QComboBox::currentIndexChanged, m_owner, [this] { m_changed(); });
    const auto show = [=](TrainingConfig &config) {
        const Value &value = std::invoke(access, config);
        const auto found
            = std::find_if(known->begin(), known->end(), [&](const auto &pair) { return pair.first == value; });
        const auto index = static_cast<int>(found - known->begin());
        if constexpr (std::is_same_v<Value, std::string>) {
            if (found == known->end()) {
                known->emplace_back(value, QString::fromStdString(value));
                box->addItem(known->back().second);
            }
        }
        box->setCurrentIndex(index);
    };
    const auto take = [=](TrainingConfig &config) {
        if (box->currentIndex() >= 0)
            std::invoke(access, config) = (*known)[static_cast<std::size_t>(box->currentIndex())].first;
    };
    m_bindings.push_back({show, take});
    return box;
}

template<typename Access>
QLineEdit *TrainingFields::folder(const QString &name, Access access)
{
    auto *edit = made<QLineEdit>(name);
    QObject::connect(edit, &QLineEdit::textChanged, m_owner, [this] { m_changed(); });
    m_bindings.push_back(
        {[=](TrainingConfig &config) { edit->setText(QString::fromStdString(std::invoke(access, config).string())); },
         [=](TrainingConfig &config) { std::invoke(access, config) = folderOf(edit->text()); }});
    return edit;
}

template<typename Access>
QLineEdit *TrainingFields::seed(const QString &name, Access access)
{
    auto *edit = made<QLineEdit>(name);
    edit->setValidator(seedValidator(edit));
    QObject::connect(edit, &QLineEdit::textChanged, m_owner, [this] { m_changed(); });
    m_bindings.push_back({[=](TrainingConfig &config) { edit->setText(QString::number(std::invoke(access, config))); },
                          [=](TrainingConfig &config) { std::invoke(access, config) = edit->text().toULongLong(); }});
    return edit;
}

} // namespace headscope
