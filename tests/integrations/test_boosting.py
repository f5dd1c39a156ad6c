"""Early stopping of the real libraries stops where a loop by hand does."""

import importlib.util
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from ir_measures_graded import GradedError, RankingMetric, array_mean, array_values
from ir_measures_graded.errors import InputWarning
from ir_measures_graded.integrations.boosting import (
    catboost_metric,
    lightgbm_metric,
    xgboost_metric,
)
from ir_measures_graded.integrations.scikit_learn import scorer

NAN = float("nan")
LARGER = "nDCG_JK(b=3,gains=1:1,2:10)@5"
SMALLER = "ASL"
PATIENCE = 4
ROUNDS = 60
pytestmark = pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")


class Data(NamedTuple):
    """Documents of several groups; `ids` has the group of each document."""

    features: np.ndarray
    labels: np.ndarray
    sizes: np.ndarray
    ids: np.ndarray


def made(seed, groups):
    random = np.random.default_rng(seed)
    sizes = random.integers(2, 25, groups)
    features = random.normal(size=(sizes.sum(), 4))
    noise = 1.5 * random.normal(size=sizes.sum())
    quality = features[:, 0] + features[:, 1] * features[:, 2] + noise
    labels = np.clip(np.round(quality), 0, 4)
    return Data(features, labels, sizes, np.repeat(np.arange(groups), sizes))


TRAIN = made(1, 40)
VALID = made(2, 20)


def by_hand(predictions, measure):
    """The values of the rounds down to the one that stops, and the number of the best round."""
    values = []
    for scores in predictions:
        values.append(array_mean(measure, VALID.labels, scores, VALID.sizes))
        if measure == SMALLER:
            best = int(np.argmin(values))
        else:
            best = int(np.argmax(values))
        if len(values) - 1 - best == PATIENCE:
            return values, best
    raise AssertionError("the data must stop the training")


LIGHTGBM = {"metric": "None", "num_leaves": 7, "learning_rate": 0.2, "seed": 1, "verbose": -1}


@pytest.mark.parametrize("measure", [LARGER, SMALLER])
def test_lightgbm_stops_as_a_loop_by_hand(measure):
    lightgbm = pytest.importorskip("lightgbm", reason="LightGBM is not installed")
    settings = {"objective": "lambdarank", "num_threads": 1, **LIGHTGBM}
    train = lightgbm.Dataset(TRAIN.features, TRAIN.labels, group=TRAIN.sizes)
    full = lightgbm.train(settings, train, ROUNDS)
    rounds = range(1, ROUNDS + 1)
    scores = (full.predict(VALID.features, num_iteration=number) for number in rounds)
    values, best = by_hand(scores, measure)

    log = {}
    data = lightgbm.Dataset(VALID.features, VALID.labels, group=VALID.sizes, reference=train)
    stop = lightgbm.early_stopping(PATIENCE, first_metric_only=True, verbose=False)
    metric = lightgbm_metric([measure, "P@3"])
    stopped = lightgbm.train(
        settings,
        train,
        ROUNDS,
        [data],
        ["valid"],
        metric,
        callbacks=[stop, lightgbm.record_evaluation(log)],
    )
    assert list(log["valid"]) == metric.names
    assert log["valid"][metric.names[0]] == values
    assert stopped.best_iteration == best + 1

    ranker = lightgbm.LGBMRanker(n_estimators=ROUNDS, n_jobs=1, **LIGHTGBM)
    stop = lightgbm.early_stopping(PATIENCE, first_metric_only=True, verbose=False)
    ranker.fit(
        TRAIN.features,
        TRAIN.labels,
        group=TRAIN.sizes,
        eval_set=[(VALID.features, VALID.labels)],
        eval_group=[VALID.sizes],
        eval_metric=metric,
        callbacks=[stop],
    )
    assert ranker.evals_result_["valid_0"][metric.names[0]] == values
    assert ranker.best_iteration_ == best + 1


@pytest.mark.parametrize("measure", [LARGER, SMALLER])
def test_xgboost_stops_as_a_loop_by_hand(measure):
    xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed")
    settings = {"objective": "rank:ndcg", "max_depth": 3, "learning_rate": 0.3, "nthread": 1}
    train = xgboost.DMatrix(TRAIN.features, TRAIN.labels, qid=TRAIN.ids)
    valid = xgboost.DMatrix(VALID.features, VALID.labels, qid=VALID.ids)
    full = xgboost.train(settings, train, ROUNDS)
    rounds = range(1, ROUNDS + 1)
    scores = (full.predict(valid, iteration_range=(0, number)) for number in rounds)
    values, best = by_hand(scores, measure)

    log = {}
    metric = xgboost_metric([measure, "P@3"])
    stopped = xgboost.train(
        settings,
        train,
        ROUNDS,
        evals=[(train, "train"), (valid, "valid")],
        custom_metric=metric,
        callbacks=[metric.early_stopping(PATIENCE, data_name="valid")],
        evals_result=log,
        verbose_eval=False,
    )
    assert list(log["valid"])[-2:] == metric.names
    # XGBoost's text has 6 decimals.
    assert log["valid"][metric.names[0]] == pytest.approx(values, abs=6e-7)
    assert stopped.best_iteration == best


@pytest.mark.parametrize("measure", [LARGER, SMALLER])
def test_catboost_stops_as_a_loop_by_hand(measure):
    catboost = pytest.importorskip("catboost", reason="CatBoost is not installed")
    train = catboost.Pool(TRAIN.features, TRAIN.labels, group_id=TRAIN.ids)
    valid = catboost.Pool(VALID.features, VALID.labels, group_id=VALID.ids)
    settings = {
        "loss_function": "QueryRMSE",
        "iterations": ROUNDS,
        "learning_rate": 0.3,
        "random_seed": 1,
        "thread_count": 1,
        "verbose": 0,
        "allow_writing_files": False,
    }
    full = catboost.CatBoost(settings).fit(train)
    values, best = by_hand(full.staged_predict(valid), measure)
    metric = catboost_metric(measure, train, valid)
    stopping = {"eval_metric": metric, "early_stopping_rounds": PATIENCE}
    stopped = catboost.CatBoost(settings | stopping).fit(train, eval_set=valid)
    log = stopped.get_evals_result()["validation"]["CatBoostMetric"]
    assert log == pytest.approx(values, abs=1e-12)  # its own scores are sums in another order
    assert stopped.get_best_iteration() == best

    in_other_groups = catboost.Pool(
        VALID.features, VALID.labels, group_id=np.arange(VALID.labels.size)
    )
    for pools in ([valid], [train, [valid, in_other_groups]]):
        model = catboost.CatBoost(settings | {"eval_metric": catboost_metric(measure, *pools)})
        with pytest.raises(catboost.CatBoostError, match="CatBoost passes labels without groups"):
            model.fit(train, eval_set=valid)
    metric = catboost_metric(measure, train, valid)
    with pytest.raises(catboost.CatBoostError, match=r"in place of catboost\.cv, fit on pools"):
        catboost.cv(train, settings | {"eval_metric": metric}, fold_count=2)
    message = (
        r"catboost_metric\('.*', train, valid\); pass Pool objects .* use fit\(Pool\(X, y, group_"
    )
    with pytest.raises(GradedError, match=message):
        catboost_metric(measure)
    with pytest.raises(GradedError, match="CatBoost takes one measure"):
        catboost_metric("P_1,5", train, valid)
    with pytest.raises(GradedError, match="the data has no groups"):
        catboost_metric("P@1", catboost.Pool(VALID.features, VALID.labels))


def test_metrics_are_refused_before_the_training():
    for metric in (lightgbm_metric, xgboost_metric, catboost_metric, scorer):
        with pytest.raises(GradedError, match=r"does not compute infAP|a scorer needs sklearn"):
            metric("infAP")
    with pytest.raises(GradedError, match="the data has no groups"):
        lightgbm_metric("P@1")([1.0], [0.5], None, None)


@pytest.mark.parametrize(
    ("labels", "sizes", "mean"),
    [
        ([1, 0, 1], [0, 3], 1),
        ([1, 0, 1, 0], [2, 0, 2], 1),
        ([1, NAN, NAN, 0, 1], [1, 2, 2], 0.5),
        ([1, 0, 1], [1, 1, 1], 2 / 3),  # sizes, not ids
    ],
)
def test_metrics_leave_groups_without_judgments_out(labels, sizes, mean):
    scores = -np.arange(len(labels))
    assert lightgbm_metric("P@1")(np.array(labels), scores, None, sizes)[0][1] == mean
    if NAN not in labels:  # XGBoost refuses them
        xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed")
        data = xgboost.DMatrix(np.zeros((len(labels), 1)), labels)
        data.set_group(sizes)
        assert xgboost_metric("P@1")(scores, data)[0][1] == mean


# No document of the first and the last group is relevant; scores of the others are tied.
LACKING = (
    np.array([0.0, 0, 0, 3, 0, 1, 2, 0, 1, 0]),
    np.array([0.2, 0.1, 0.4, 0.4, 0.4, 0.1, 0.3, 0.3, 0.3, 0.9]),
    np.array([2, 4, 3, 1]),
)


@pytest.mark.parametrize("ties", ["mean", "given"])
def test_all_metrics_count_groups_without_relevant_documents_as_arrays(ties):
    labels, scores, sizes = LACKING
    name = "nDCG_Burges@2"
    means = {}
    for no_relevant in ("zero", "one", "skip"):
        options = {"ties": ties, "no_relevant": no_relevant}
        mean = array_mean(name, labels, scores, sizes=sizes, **options)
        values = array_values(name, labels, scores, sizes=sizes, **options)
        assert mean == pytest.approx(np.nanmean(values), abs=1e-15)
        means[no_relevant] = mean
        metrics = [lightgbm_metric(name, **options)]
        assert metrics[0](labels, scores, None, sizes)[0][1] == mean
        metrics.append(RankingMetric(name, **options))
        metrics[1].update(labels, scores, sizes=sizes)
        assert metrics[1].compute() == mean
        assert pickle.loads(pickle.dumps(metrics[1])).compute() == mean
        if importlib.util.find_spec("xgboost"):
            import xgboost

            data = xgboost.DMatrix(np.zeros((labels.size, 1)), labels)
            data.set_group(sizes)
            assert xgboost_metric(name, **options)(scores, data)[0][1] == mean
        if importlib.util.find_spec("catboost"):
            import catboost

            ids = np.repeat(np.arange(sizes.size), sizes)
            pool = catboost.Pool(scores[:, None], labels, group_id=ids)
            assert (
                catboost_metric(name, pool, **options).evaluate([scores], labels, None)[0] == mean
            )
        if importlib.util.find_spec("sklearn"):
            ids = np.repeat(np.arange(sizes.size), sizes)
            score = scorer(name, **options)
            assert score(FirstFeature(), scores[:, None], labels, groups=ids) == mean
            assert ("no_relevant" in repr(score)) == (no_relevant != "zero")
    assert means["zero"] + 0.5 == pytest.approx(means["one"], abs=1e-15)
    assert means["zero"] * 2 == pytest.approx(means["skip"], abs=1e-15)


class FirstFeature:
    """A model that scores documents by their first feature."""

    def predict(self, X):
        return X[:, 0]


@pytest.mark.parametrize("metric", [lightgbm_metric, xgboost_metric, scorer, RankingMetric])
def test_no_relevant_is_refused_at_once(metric):
    if metric is scorer:
        pytest.importorskip("sklearn", "1.5", reason="a scorer needs sklearn")
    with pytest.raises(GradedError, match="no_relevant='two'"):
        metric("nDCG_JK@10", no_relevant="two")
    with pytest.raises(GradedError, match="no_relevant=one is for measures whose best value is 1"):
        metric("CG@10", no_relevant="one")


def test_metrics_that_count_groups_otherwise_are_not_merged():
    metric = RankingMetric("P@1", no_relevant="one")
    with pytest.raises(GradedError, match="another no_relevant"):
        metric.merge(RankingMetric("P@1"))


def test_the_ndcg_of_lightgbm_stands_beside_it_in_its_log():
    lightgbm = pytest.importorskip("lightgbm", reason="LightGBM is not installed")
    labels = VALID.labels.copy()
    labels[VALID.ids < 3] = 0  # groups without a relevant document
    train = lightgbm.Dataset(TRAIN.features, TRAIN.labels, group=TRAIN.sizes)
    valid = lightgbm.Dataset(VALID.features, labels, group=VALID.sizes, reference=train)
    settings = {**LIGHTGBM, "objective": "lambdarank", "num_threads": 1}
    settings |= {"metric": "ndcg", "eval_at": [10]}
    log = {}
    lightgbm.train(
        settings,
        train,
        3,
        [valid],
        ["valid"],
        lightgbm_metric("nDCG_Burges@10", ties="given", no_relevant="one"),
        callbacks=[lightgbm.record_evaluation(log)],
    )
    ours = log["valid"]["nDCG_Burges@10"]
    assert ours == pytest.approx(log["valid"]["ndcg@10"], rel=0, abs=1e-12)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, int])
def test_labels_of_any_type_mean_their_shortest_text(dtype):
    level = 0.1
    if np.dtype(dtype).kind == "i":
        level = 16_777_217  # no float of 32 bits
    metric = lightgbm_metric(f"CG(gains={level}:5)@1")  # without a remark on the level
    assert metric(np.array([0, level], dtype), [1, 2], None, [2])[0][1] == 5
    with pytest.raises(GradedError, match="the labels are of type <U1; give numbers"):
        metric(["a", "b"], [1, 2], None, [2])
    with pytest.raises(GradedError, match=r"sizes \[2\] do not fit 0 labels"):
        metric([], [1, 2], None, [2])


@pytest.mark.parametrize("metric_of", [lightgbm_metric, xgboost_metric])
def test_groups_that_the_library_counts_otherwise_are_told_once(metric_of):
    metric = metric_of(["nDCG_Burges@7", "AP(rel=2)"])
    labels = [1, 0, 0, 0, 2, 0]
    means = metric.means([2, 2, 0, 2], [1, 2, 3, 4], [2, 2])  # all groups have a relevant document
    with pytest.warns(InputWarning) as told:
        assert metric.means(labels, [2, 1, 3, 4, 5, 6], [2, 2, 2])[1] == pytest.approx(0.5 / 3)
    library = "LightGBM" if metric_of is lightgbm_metric else "XGBoost"
    assert str(told[0].message) == (
        "1 of 3 groups has no relevant document by nDCG_Burges@7, 2 by AP(rel=2); they count 0, "
        f"but 1 in the ndcg and map of {library}: no_relevant='one' counts them 1, 'skip' leaves "
        "them out, 'zero' counts them 0 without this warning"
    )
    assert len(told) == 1
    metric.means([1, 0, 0, 0], [2, 1, 3, 4], [2, 2])
    zero = metric_of(["nDCG_Burges@7", "AP(rel=2)"], no_relevant="zero")
    assert zero.means([2, 2, 0, 2], [1, 2, 3, 4], [2, 2]) == means
    metric_of("DCG_Burges@7").means(labels, [2, 1, 3, 4, 5, 6], [2, 2, 2])


def test_a_scorer_tells_once_of_groups_that_boosting_libraries_count_otherwise():
    pytest.importorskip("sklearn", "1.5", reason="a scorer needs sklearn")
    labels, scores, sizes = LACKING
    ids = np.repeat(np.arange(sizes.size), sizes)
    score = pickle.loads(pickle.dumps(scorer("nDCG_Burges@2")))
    with pytest.warns(InputWarning) as warned:
        first = score(FirstFeature(), scores[:, None], labels, groups=ids)
    assert [str(warning.message) for warning in warned] == [
        "2 of 4 groups have no relevant document by nDCG_Burges@2; they count 0, but 1 in the NDCG "
        "of LightGBM, XGBoost and CatBoost: no_relevant='one' counts them 1, 'skip' leaves them "
        "out, 'zero' counts them 0 without this warning"
    ]
    zero = scorer("nDCG_Burges@2", no_relevant="zero")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for quiet in (score, zero, scorer("DCG_Burges@2")):
            quiet(FirstFeature(), scores[:, None], labels, groups=ids)
        assert zero(FirstFeature(), scores[:, None], labels, groups=ids) == first


def test_scorer_equals_a_loop_over_the_folds():
    sklearn = pytest.importorskip("sklearn", "1.5", reason="a scorer needs sklearn")
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate

    features, labels, _, ids = TRAIN
    folds = GroupKFold(4)
    with sklearn.config_context(enable_metadata_routing=True):
        scorers = {measure: scorer(measure) for measure in (LARGER, SMALLER)}
        scores = cross_validate(
            Ridge(), features, labels, scoring=scorers, cv=folds, params={"groups": ids}
        )
        for measure, sign in ((LARGER, 1), (SMALLER, -1)):
            expected = []
            for rest, test in folds.split(features, labels, ids):
                model = Ridge().fit(features[rest], labels[rest])
                mean = array_mean(measure, labels[test], model.predict(features[test]), ids[test])
                expected.append(sign * mean)
            assert scores[f"test_{measure}"].tolist() == expected
        search = GridSearchCV(
            Ridge(),
            {"alpha": [1e-3, 1e9]},
            scoring=scorer(LARGER, groups="qid"),
            cv=folds.set_split_request(groups="qid"),
        )
        search.fit(features, labels, qid=ids)
        assert search.best_score_ >= np.mean(scores[f"test_{LARGER}"]) - 1e-3
        with pytest.raises(GradedError, match="a scorer takes one measure, not 2"):
            scorer("P_1,5")
        with pytest.raises(GradedError, match="response_method='score' is not allowed"):
            scorer(LARGER, response_method="score")


def searched(model, grid, score, labels=TRAIN.labels, **params):
    """The mean scores of a grid search over three folds of some groups."""
    from sklearn.model_selection import GridSearchCV, GroupKFold

    rows = TRAIN.ids < 20
    params = {name: values[rows] for name, values in params.items()}
    folds = GroupKFold(3) if params else 3
    search = GridSearchCV(model, grid, scoring=score, cv=folds, refit=False)
    search.fit(TRAIN.features[rows], labels[rows], **params)
    return search.cv_results_["mean_test_score"]


BINARY = (TRAIN.labels > 1).astype(int)
TWO = ["decision_function", "predict_proba"]


def predicted(model, X):
    return model.predict(X)


def decided(model, X):
    return model.decision_function(X)


def expected_level(model, X):
    return model.predict_proba(X) @ range(5)


def second_probability(model, X):
    return model.predict_proba(X)[:, 1]


RESPONSES = [
    ("Ridge", {}, TRAIN.labels, predicted),
    ("LogisticRegression", {}, BINARY, decided),
    ("LogisticRegression", {}, TRAIN.labels, expected_level),
    ("DecisionTreeClassifier", {}, BINARY, second_probability),
    ("LogisticRegression", {"response_method": "predict"}, TRAIN.labels, predicted),
    ("DecisionTreeClassifier", {"response_method": TWO}, TRAIN.labels, expected_level),
]


@pytest.mark.parametrize(("name", "options", "labels", "expected"), RESPONSES)
def test_a_scorer_ranks_by_the_response_of_the_model(name, options, labels, expected):
    pytest.importorskip("sklearn", "1.5", reason="a scorer needs sklearn")
    from sklearn import linear_model, tree

    if name == "DecisionTreeClassifier":
        model = tree.DecisionTreeClassifier(max_depth=3)
    else:
        model = getattr(linear_model, name)()
    model.fit(TRAIN.features, labels)
    scores = expected(model, TRAIN.features)
    mean = array_mean("nDCG_Burges@5", labels, scores, ids=TRAIN.ids)
    score = scorer("nDCG_Burges@5", **options)
    assert score(model, TRAIN.features, labels, groups=TRAIN.ids) == mean


def test_a_model_of_another_library_is_scored():
    pytest.importorskip("sklearn", "1.5", reason="a scorer needs sklearn")

    class Model:
        def predict(self, X):
            return X[:, 0]

    features, labels, _, ids = TRAIN
    mean = array_mean(LARGER, labels=labels, scores=features[:, 0], ids=ids)
    assert scorer(LARGER)(Model(), features, labels, groups=ids) == mean


def test_a_grid_search_has_no_nan_but_the_error_of_the_scorer():
    sklearn = pytest.importorskip("sklearn", "1.5", reason="a scorer needs sklearn")
    from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier

    grid = {"alpha": [1e-3, 1e3]}
    message = r"set_config\(enable_metadata_routing=True\)\n    search\.fit\(X, y, qid=ids\)"
    for scoring in (scorer(LARGER, groups="qid"), {"only": scorer(LARGER, groups="qid")}):
        with pytest.raises(GradedError, match=message):
            searched(Ridge(), grid, scoring)
    with sklearn.config_context(enable_metadata_routing=True):
        with pytest.raises(GradedError, match="RidgeClassifier has no predict_proba"):
            searched(RidgeClassifier(), grid, scorer(LARGER), groups=TRAIN.ids)
        by_two = scorer(LARGER, response_method=TWO)
        with pytest.raises(GradedError, match="has a score for each of 5 classes"):
            searched(RidgeClassifier(), grid, by_two, groups=TRAIN.ids)
        means = searched(LogisticRegression(), {"C": [1, 9]}, scorer(LARGER), groups=TRAIN.ids)
        assert np.isfinite(means).all()
        texts = TRAIN.labels.astype(str)
        with pytest.raises(GradedError, match="the classes of LogisticRegression are no levels"):
            searched(LogisticRegression(), {"C": [1]}, scorer(LARGER), texts, groups=TRAIN.ids)


def without_routing(model, **passed):
    """The error of a grid search without metadata routing."""
    with pytest.raises((GradedError, TypeError, ValueError)) as raised:
        searched(model, {}, scorer(LARGER), **passed)
    return str(raised.value)


@pytest.mark.parametrize(
    ("library", "name", "passed", "error"),
    [
        ("lightgbm", "LGBMRanker", ["groups"], "Should set group for ranking task"),
        (
            "lightgbm",
            "LGBMRanker",
            ["groups", "qid"],
            "LGBMRanker.fit() got an unexpected keyword argument 'qid'",
        ),
        ("xgboost", "XGBRanker", ["groups"], "Either `group` or `qid` is required for ranking"),
        ("xgboost", "XGBRanker", ["qid"], "The 'groups' parameter should not be None"),
    ],
)
def test_the_page_answers_the_first_errors_of_a_stranger(library, name, passed, error):
    pytest.importorskip("sklearn", "1.5", reason="a scorer needs sklearn")
    module = pytest.importorskip(library, reason=f"{library} is not installed")
    model = getattr(module, name)(n_estimators=1)
    message = without_routing(model, **dict.fromkeys(passed, TRAIN.ids))
    assert error in message
    page = Path(__file__).parents[2] / "docs" / "learning-to-rank.md"
    assert error in page.read_text(encoding="utf-8")


def test_the_error_without_groups_has_the_lines_of_the_model():
    xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed")
    pytest.importorskip("sklearn", "1.5", reason="a scorer needs sklearn")
    from sklearn.linear_model import Ridge

    enabled = "    sklearn.set_config(enable_metadata_routing=True)\n"
    message = without_routing(Ridge(), groups=TRAIN.ids)
    assert f"{enabled}    search.fit(X, y, groups=ids)  # or" in message
    message = without_routing(xgboost.XGBRanker(n_estimators=1), groups=TRAIN.ids, qid=TRAIN.ids)
    request = "    model = XGBRanker(…).set_fit_request(qid=True)\n"
    assert f"{enabled}{request}    search.fit(X, y, groups=ids, qid=ids)  # or" in message


def test_xgbranker_stops_by_watching_data_also_in_a_grid_search():
    xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed")
    sklearn = pytest.importorskip("sklearn", "1.5", reason="a scorer needs sklearn")
    settings = {"n_estimators": ROUNDS, "max_depth": 3, "learning_rate": 0.3, "n_jobs": 1}
    plain = xgboost.XGBRanker(**settings).fit(TRAIN.features, TRAIN.labels, qid=TRAIN.ids)
    rounds = range(1, ROUNDS + 1)
    scores = (plain.predict(VALID.features, iteration_range=(0, number)) for number in rounds)
    values, best = by_hand(scores, LARGER)
    metric = xgboost_metric([LARGER, "P@3"])
    for groups in ({"qid": VALID.ids}, {"group": VALID.sizes}):
        watch = metric.watch(VALID.features, VALID.labels, **groups, rounds=PATIENCE)
        ranker = xgboost.XGBRanker(**settings, callbacks=[watch])
        ranker.fit(TRAIN.features, TRAIN.labels, qid=TRAIN.ids)
        log = ranker.evals_result()["watched"]
        assert list(log) == metric.names
        assert log[metric.names[0]] == values
        assert ranker.best_iteration == best
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = pickle.loads(pickle.dumps(ranker)).set_params(n_estimators=9)
        ranker.set_fit_request(qid=True)
        ids = {"groups": TRAIN.ids, "qid": TRAIN.ids}
        means = searched(ranker, {"max_depth": [1, 3]}, scorer(LARGER), **ids)
    assert np.isfinite(means).all()

    ranker = xgboost.XGBRanker(**settings, eval_metric=metric)
    with pytest.raises(GradedError, match=r"use callbacks=\[metric\.watch\(X, y, qid=ids"):
        ranker.fit(
            TRAIN.features,
            TRAIN.labels,
            qid=TRAIN.ids,
            eval_set=[(VALID.features, VALID.labels)],
            eval_qid=[VALID.ids],
        )
    with pytest.raises(GradedError, match="the data has no groups"):
        metric.watch(VALID.features, VALID.labels, rounds=3)


def test_no_library_is_imported_before_it_is_needed():
    code = (
        "import sys\n"
        "import ir_measures_graded.integrations.boosting\n"
        "import ir_measures_graded.integrations.scikit_learn\n"
        "libraries = {'lightgbm', 'xgboost', 'catboost', 'sklearn', 'pandas'}\n"
        "print(libraries.intersection(sys.modules))\n"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert process.stdout == "set()\n"
