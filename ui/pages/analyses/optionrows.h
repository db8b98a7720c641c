#pragma once

#include "core/analysis/specoptions.h"
#include "core/base/enumnames.h"
#include "ui/language/corewords.h"

#include "ui/models/plaintip.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QRegularExpression>
#include <QRegularExpressionValidator>
#include <QSpinBox>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace headscope {

/// The visitor of specoptions.h that makes a row of a form for every option. Input changes the option at once, so the
/// described spec must outlive the rows; `changed` is called.
class OptionRows
{
public:
    OptionRows(QFormLayout &form, std::function<void()> changed) : m_form(form), m_changed(std::move(changed)) { }

    /// The page's own: the present mask.
    template<typename Mask>
    void mask(const char *, const Mask &)
    {
    }
    void flag(const char *name, bool &value, const char *help)
    {
        auto *box = new QCheckBox(optionTitle(name));
        box->setChecked(value);
        box->setToolTip(plainTip(fromCore(help)));
        QObject::connect(box, &QCheckBox::toggled, box, [&value, changed = m_changed](bool on) {
            value = on;
            changed();
        });
        m_form.addRow(box);
    }
    template<typename T>
    void integer(const char *name, T &value, const IntegerRange &range, const char *help)
    {
        constexpr std::int64_t largest = std::numeric_limits<int>::max();
        auto *box = new QSpinBox;
        box->setRange(static_cast<int>(std::clamp(range.least, 1 - largest, largest)),
                      static_cast<int>(std::min(range.most, largest)));
        box->setGroupSeparatorShown(true);
        addNumber(name, value, help, box, qOverload<int>(&QSpinBox::valueChanged));
    }
    template<typename T>
    void real(const char *name, T &value, const Range &range, const char *help)
    {
        auto *box = new QDoubleSpinBox;
        box->setDecimals(4);
        box->setRange(range.least, std::min(range.most, 1e9));
        addNumber(name, value, help, box, qOverload<double>(&QDoubleSpinBox::valueChanged));
    }
    void text(const char *name, std::string &value, const char *type, const char *help)
    {
        auto *edit = new QLineEdit(QString::fromStdString(value));
        edit->setPlaceholderText(QString::fromUtf8(type));
        QObject::connect(edit, &QLineEdit::textChanged, edit, [&value, changed = m_changed](const QString &text) {
            value = text.toStdString();
            changed();
        });
        add(name, help, edit);
    }
    /// Numbers from 0 on, separated by commas.
    void integers(const char *name, std::vector<std::int64_t> &values, const IntegerRange &, const char *help)
    {
        QStringList texts;
        for (const std::int64_t value : values)
            texts << QString::number(value);
        auto *edit = new QLineEdit(texts.join(u','));
        static const QRegularExpression numbers(QStringLiteral("(\\d{1,9}(, *\\d{1,9})*)?"));
        edit->setValidator(new QRegularExpressionValidator(numbers, edit));
        edit->setPlaceholderText(QStringLiteral("N,…"));
        QObject::connect(edit, &QLineEdit::textChanged, edit, [&values, changed = m_changed](const QString &text) {
            values.clear();
            for (const QString &number : text.split(u',', Qt::SkipEmptyParts))
                values.push_back(number.trimmed().toLongLong());
            changed();
        });
        add(name, help, edit);
    }
    template<typename E>
    void choice(const char *name, E &value, const char *help)
    {
        auto *box = new QComboBox;
        for (const std::string_view text : EnumNames<E>::values)
            box->addItem(QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())));
        box->setCurrentIndex(static_cast<int>(value));
        QObject::connect(box, &QComboBox::currentIndexChanged, box, [&value, changed = m_changed](int index) {
            value = static_cast<E>(index);
            changed();
        });
        add(name, help, box);
    }
    /// An empty choice means what `help` says.
    template<typename E>
    void choices(const char *name, std::vector<E> &values, const char *help)
    {
        auto *list = new QListWidget;
        for (std::size_t i = 0; i < EnumNames<E>::values.size(); ++i) {
            auto *item = new QListWidgetItem(QString::fromUtf8(EnumNames<E>::values[i].data()), list);
            item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
            const bool chosen = std::ranges::find(values, static_cast<E>(i)) != values.end();
            item->setCheckState(chosen ? Qt::Checked : Qt::Unchecked);
        }
        list->setFixedHeight(list->sizeHintForRow(0) * list->count() + 2 * list->frameWidth());
        QObject::connect(list, &QListWidget::itemChanged, list, [list, &values, changed = m_changed] {
            values.clear();
            for (int i = 0; i < list->count(); ++i) {
                if (list->item(i)->checkState() == Qt::Checked)
                    values.push_back(static_cast<E>(i));
            }
            changed();
        });
        add(name, help, list);
    }

private:
    void add(const char *name, const char *help, QWidget *field)
    {
        field->setToolTip(plainTip(fromCore(help)));
        field->setAccessibleName(optionTitle(name));
        m_form.addRow(optionTitle(name), field);
    }
    template<typename T, typename Box, typename Signal>
    void addNumber(const char *name, T &value, const char *help, Box *box, Signal signal)
    {
        using Number = decltype(box->value());
        box->setValue(static_cast<Number>(value));
        QObject::connect(box, signal, box, [&value, changed = m_changed](Number number) {
            value = static_cast<T>(number);
            changed();
        });
        add(name, help, box);
    }
    /// The value below the minimum represents the default.
    template<typename T, typename Box, typename Signal>
    void addNumber(const char *name, std::optional<T> &value, const char *help, Box *box, Signal signal)
    {
        using Number = decltype(box->value());
        const Number none = box->minimum() - 1;
        box->setMinimum(none);
        box->setSpecialValueText(QCoreApplication::translate("headscope::AnalysisForm", "usual"));
        box->setValue(value ? static_cast<Number>(*value) : none);
        QObject::connect(box, signal, box, [&value, none, changed = m_changed](Number number) {
            value = number == none ? std::nullopt : std::optional<T>(static_cast<T>(number));
            changed();
        });
        add(name, help, box);
    }

    QFormLayout &m_form;
    std::function<void()> m_changed;
};

} // namespace headscope
